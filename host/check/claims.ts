// Finds names that are declared twice: scope rows, permissions, settings, tables and migrations.
import type { PluginDefinition } from '../plugin/definition.ts';
import type { Plan } from '../plugin/plan.ts';
import type { Problem } from '../problems/problem.ts';

/** Names of one kind, each of which may be claimed once. */
export interface Kind<T> {
  readonly code: string;
  /** The word for it in messages. */
  readonly what: string;
  readonly namesOf: (claimant: T) => readonly string[];
  /** Names with the same result are the same. Default: the name itself. */
  readonly keyOf?: (name: string) => string;
}

const keyOfSetting = ({ key }: { readonly key: string }): string => key;

const kinds: readonly Kind<PluginDefinition>[] = [
  { code: 'duplicate_scope', what: 'scope row', namesOf: ({ scopes = [] }) => scopes.map(({ name }) => name) },
  {
    code: 'duplicate_permission',
    what: 'permission',
    namesOf: ({ permissions = [] }) => permissions.map(({ name }) => name),
  },
  { code: 'duplicate_setting', what: 'setting', namesOf: ({ settings = [] }) => settings.map(keyOfSetting) },
  {
    code: 'duplicate_repository_setting',
    what: 'setting of repositories',
    namesOf: ({ repositorySettings = [] }) => repositorySettings.map(keyOfSetting),
  },
  { code: 'duplicate_table', what: 'table', namesOf: ({ tables = [] }) => tables },
  // Two plugins may use the same migration name. One plugin may not use it twice.
  {
    code: 'duplicate_migration',
    what: 'migration',
    namesOf: ({ name: plugin, migrations = [] }) => migrations.map(({ name }) => `${plugin}/${name}`),
  },
];

export const claimProblems = ({ enabled }: Plan): readonly Problem[] =>
  duplicates(
    kinds,
    enabled.map((definition) => ({ plugin: definition.name, claimant: definition })),
  );

interface Claims<T> {
  readonly plugin: string;
  readonly claimant: T;
}

/** A problem for every repetition of a name, with the plugin that claimed it first and the plugin that repeats it. */
export function duplicates<T>(kinds: readonly Kind<T>[], plugins: readonly Claims<T>[]): readonly Problem[] {
  return kinds.flatMap(({ code, what, namesOf, keyOf = (name) => name }) => {
    const owners = new Map<string, string>();
    return plugins.flatMap(({ plugin, claimant }) =>
      namesOf(claimant).flatMap((name): readonly Problem[] => {
        const first = owners.get(keyOf(name));
        if (first !== undefined) return [claimedTwice(code, what, name, first, plugin)];
        owners.set(keyOf(name), plugin);
        return [];
      }),
    );
  });
}

function claimedTwice(code: string, what: string, name: string, first: string, second: string): Problem {
  return first === second
    ? {
        code,
        plugin: first,
        message: `Plugin "${first}" claims the ${what} "${name}" twice`,
        remedy: 'Remove one of the two from its definition',
      }
    : {
        code,
        plugin: second,
        message: `The ${what} "${name}" is claimed by "${first}" and by "${second}"`,
        remedy: `Disable one of them: HEXFORGE_PLUGINS=-${second}`,
      };
}
