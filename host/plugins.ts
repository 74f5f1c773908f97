// Plugin loading: imports the enabled plugins of the configuration and makes the plan that `check` judges.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ChosenPlugin, Configuration } from '#config/configuration';
import { keys } from '#config/schema';
import { check, soundPlan } from './check.ts';
import type { PluginDefinition } from './definition.ts';
import { didYouMean } from './nearest.ts';
import { portsOf, type Plan } from './plan.ts';
import type { Problem } from './problem.ts';

export interface Listed {
  readonly plan: Plan;
  /** All problems, with those of plugins that could not be imported. */
  readonly problems: readonly Problem[];
}

/**
 * The plan of a configuration, checked. Disabled plugins are imported only where a remedy may have to name one.
 * @param given definitions beside the configured ones; one with a configured name takes its place.
 */
export async function listPlugins(
  configuration: Configuration,
  given: readonly PluginDefinition[] = [],
): Promise<Listed> {
  const chosen = configuration.plugins.filter(({ name }) => !given.some((definition) => definition.name === name));
  const loaded = await Promise.all(chosen.filter(({ enabled }) => enabled).map(load));
  const unloadable = loaded.flatMap(({ problem }) => problem ?? []);
  const enabled = [...loaded.flatMap(({ definition }) => definition ?? []), ...given];
  const plan = planOf(configuration, enabled, [], given);
  const problems = check(plan);
  if (problems.length === 0) return { plan, problems: unloadable };
  const disabled = (await Promise.all(chosen.filter((plugin) => !plugin.enabled).map(load))).flatMap(
    ({ definition }) => definition ?? [],
  );
  const wiser = planOf(configuration, enabled, disabled, given);
  return { plan: soundPlan(wiser), problems: [...unloadable, ...check(wiser)] };
}

function planOf(
  configuration: Configuration,
  enabled: readonly PluginDefinition[],
  disabled: readonly PluginDefinition[],
  given: readonly PluginDefinition[],
): Plan {
  const { plugins, environment, settings } = configuration;
  const chosen = new Map(plugins.map((plugin) => [plugin.name, plugin]));
  const definitions = new Map(enabled.map((definition) => [definition.name, definition]));
  const defaults = Object.entries(configuration.defaultProviders).filter(([port, name]) => {
    const definition = definitions.get(name);
    return definition !== undefined && portsOf(definition).includes(port);
  });
  return {
    enabled,
    disabled,
    settings,
    providers: { ...Object.fromEntries(defaults), ...configuration.providers },
    configOf: (plugin) => ({ ...chosen.get(plugin)?.config, ...environmentOf(definitions.get(plugin), environment) }),
    isOutside: (plugin) => chosen.get(plugin)?.standard === false,
    mountOf: (plugin) => chosen.get(plugin)?.mount ?? (given.some(({ name }) => name === plugin) ? 'anywhere' : 'own'),
  };
}

/** The plugin's configuration keys that environment variables set. */
export function environmentOf(
  definition: PluginDefinition | undefined,
  environment: Configuration['environment'],
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(definition?.environment ?? {}).flatMap(([variable, key]) => {
      const text = environment[variable];
      return text === undefined || text === '' ? [] : [[key, text]];
    }),
  );
}

/** Variables that look like ours and set nothing: probably slips. Those of disabled plugins are not known. */
export function strangeVariables(
  { environment }: Configuration,
  { enabled }: Plan,
): readonly { readonly variable: string; readonly hint: string }[] {
  const known = [
    'HEXFORGE_CONFIG',
    'HEXFORGE_PLUGINS',
    ...Object.values(keys).flatMap((key) => key.environment ?? []),
    ...enabled.flatMap((definition) => Object.keys(definition.environment ?? {})),
  ];
  const strange = Object.keys(environment).filter(
    (name) => name.startsWith('HEXFORGE_') && !name.startsWith('HEXFORGE_TEST_') && !known.includes(name),
  );
  return strange.map((variable) => ({ variable, hint: didYouMean(variable, known, 'No enabled plugin reads it') }));
}

async function load(
  plugin: ChosenPlugin,
): Promise<{ readonly definition?: PluginDefinition; readonly problem?: Problem }> {
  const { name } = plugin;
  const refuse = (message: string, remedy: string): { readonly problem: Problem } => ({
    problem: { code: 'plugin_unloadable', plugin: name, message, remedy },
  });
  try {
    const module: { readonly default?: unknown } = await import(specifier(plugin));
    const definition = module.default;
    if (!isDefinition(definition))
      return refuse(
        `The module of plugin "${name}" has no plugin definition as its default export`,
        'Export the result of definePlugin as default',
      );
    if (definition.name !== name)
      return refuse(
        `The module configured as "${name}" defines the plugin "${definition.name}"`,
        `Name it "${definition.name}" in the configuration`,
      );
    // Its members are read here once: what throws while it is read cannot be loaded.
    return { definition: { ...definition } };
  } catch (error) {
    const reason = error instanceof Error ? (error.message.split('\n', 1)[0] ?? '') : String(error);
    return refuse(
      `Plugin "${name}" cannot be loaded: ${reason}`,
      plugin.standard
        ? `Reinstall Hexforge, or disable it with HEXFORGE_PLUGINS=-${name}`
        : `Install it or correct plugins.${name} in the configuration, or disable it with HEXFORGE_PLUGINS=-${name}`,
    );
  }
}

/**
 * What `import()` finds: a standard plugin by the package's own map, a path as a URL, a package from beside the
 * configuration first.
 */
function specifier({ module, standard, resolveFrom }: ChosenPlugin): string {
  if (standard) return module;
  if (module.startsWith('/')) return pathToFileURL(module).href;
  try {
    return pathToFileURL(createRequire(join(resolveFrom, 'hexforge.yaml')).resolve(module)).href;
  } catch {
    return module;
  }
}

const isDefinition = (value: unknown): value is PluginDefinition =>
  typeof value === 'object' &&
  value !== null &&
  ['name', 'version', 'api'].every((key) => typeof Reflect.get(value, key) === 'string');
