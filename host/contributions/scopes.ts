// Contributed scopes and permissions: one catalogue and one table over all plugins that have not failed.
import type { PermissionTable } from '#core/kernel/access/permissions';
import { scopeCatalogue, type ScopeCatalogue } from '#core/kernel/access/scopes';
import type { Life } from '../plugin/life.ts';
import { living } from './living.ts';

/** Leaves out the rows of plugins that have failed. */
export function livingScopes(lives: readonly Life[]): ScopeCatalogue {
  const catalogue = living(lives, (definitions) => scopeCatalogue(definitions.flatMap(({ scopes = [] }) => scopes)));
  return {
    rows: () => catalogue().rows(),
    row: (name) => catalogue().row(name),
    tokenScopes: (kind) => catalogue().tokenScopes(kind),
    satisfied: (row, kind, held) => catalogue().satisfied(row, kind, held),
  } satisfies ScopeCatalogue;
}

export function livingPermissions(lives: readonly Life[]): PermissionTable & { has(name: string): boolean } {
  const declarations = living(lives, (definitions) => definitions.flatMap(({ permissions = [] }) => permissions));
  const names = living(lives, () => new Set(declarations().map(({ name }) => name)));
  return { declarations, has: (name) => names().has(name) };
}
