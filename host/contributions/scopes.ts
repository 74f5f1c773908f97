// Contributed scopes and permissions: one catalogue and one role table over the plugins that are not lost.
import type { PermissionTable } from '#core/kernel/permissions';
import { scopeCatalogue, type ScopeCatalogue } from '#core/kernel/scopes';
import type { Life } from '../life.ts';

const standing = (lives: readonly Life[]): readonly Life[] => lives.filter(({ lost }) => !lost);

/** Follows the plugins: a row of one that failed is gone. */
export function livingScopes(lives: readonly Life[]): ScopeCatalogue {
  let known = { count: -1, catalogue: scopeCatalogue([]) };
  const catalogue = (): ScopeCatalogue => {
    const alive = standing(lives);
    if (alive.length !== known.count)
      known = {
        count: alive.length,
        catalogue: scopeCatalogue(alive.flatMap(({ definition }) => definition.scopes ?? [])),
      };
    return known.catalogue;
  };
  return {
    rows: () => catalogue().rows(),
    row: (name) => catalogue().row(name),
    tokenScopes: (kind) => catalogue().tokenScopes(kind),
    satisfied: (row, kind, held) => catalogue().satisfied(row, kind, held),
  } satisfies ScopeCatalogue;
}

export function livingPermissions(lives: readonly Life[]): PermissionTable & { has(name: string): boolean } {
  let known = { count: -1, names: new Set<string>() };
  const declarations = () => standing(lives).flatMap(({ definition }) => definition.permissions ?? []);
  return {
    declarations,
    has(name) {
      const { length: count } = standing(lives);
      if (count !== known.count) known = { count, names: new Set(declarations().map((one) => one.name)) };
      return known.names.has(name);
    },
  };
}
