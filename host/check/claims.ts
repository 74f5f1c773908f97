// Finds names that are declared twice: scope rows, permissions, settings, tables and migrations.
import type { PluginDefinition } from '../plugin/definition.ts';
import type { Plan } from '../plugin/plan.ts';
import type { Problem } from '../problems/problem.ts';

interface Kind {
  readonly code: string;
  /** The word for it in messages. */
  readonly what: string;
  readonly namesOf: (definition: PluginDefinition) => readonly string[];
}

const kinds: readonly Kind[] = [
  { code: 'duplicate_scope', what: 'scope row', namesOf: ({ scopes = [] }) => scopes.map(({ name }) => name) },
  {
    code: 'duplicate_permission',
    what: 'permission',
    namesOf: ({ permissions = [] }) => permissions.map(({ name }) => name),
  },
  { code: 'duplicate_setting', what: 'setting', namesOf: ({ settings = [] }) => settings.map(({ key }) => key) },
  { code: 'duplicate_table', what: 'table', namesOf: ({ tables = [] }) => tables },
  // Two plugins may use the same migration name. One plugin may not use it twice.
  {
    code: 'duplicate_migration',
    what: 'migration',
    namesOf: ({ name: plugin, migrations = [] }) => migrations.map(({ name }) => `${plugin}/${name}`),
  },
];

export function claimProblems({ enabled }: Plan): readonly Problem[] {
  return kinds.flatMap(({ code, what, namesOf }) =>
    doubles(enabled, namesOf).map(({ name, first, second }) => claimedTwice(code, what, name, first, second)),
  );
}

export interface Double {
  readonly name: string;
  readonly first: string;
  readonly second: string;
}

/** Every repetition of a name, with the plugin that declared it first and the plugin that repeats it. */
export function doubles<P extends { readonly name: string }>(
  plugins: readonly P[],
  namesOf: (plugin: P) => readonly string[],
): readonly Double[] {
  const owners = new Map<string, string>();
  return plugins.flatMap((plugin) =>
    namesOf(plugin).flatMap((name): readonly Double[] => {
      const first = owners.get(name);
      if (first !== undefined) return [{ name, first, second: plugin.name }];
      owners.set(name, plugin.name);
      return [];
    }),
  );
}

export function claimedTwice(code: string, what: string, name: string, first: string, second: string): Problem {
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
