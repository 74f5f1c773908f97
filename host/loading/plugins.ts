// Loads the enabled plugins of the configuration, and makes the plan that `check` checks.
import type { ChosenPlugin, Configuration } from '#host/configuration/configuration';
import { keys } from '#host/configuration/schema';
import { check, soundPlan } from '../check/check.ts';
import { strangeSettings } from '../contributions/settings.ts';
import type { PluginDefinition } from '../plugin/definition.ts';
import { loadPlugins } from './loading.ts';
import { didYouMean } from '../problems/nearest.ts';
import { portsOf, type ListedPlugin, type Origin, type Plan } from '../plugin/plan.ts';
import type { Problem } from '../problems/problem.ts';

export interface Listed {
  readonly plan: Plan;
  /** All problems, including plugins that could not be imported. */
  readonly problems: readonly Problem[];
  /** Messages for the operator that do not prevent a start. */
  readonly warnings: readonly string[];
}

/**
 * The checked plan of a configuration. If there are problems, disabled standard plugins are also imported, because a
 * remedy may name one. Disabled external plugins are never imported.
 * @param given Definitions besides the configured ones; one with a configured name replaces it.
 */
export async function listPlugins(
  configuration: Configuration,
  given: readonly PluginDefinition[] = [],
): Promise<Listed> {
  const chosen = configuration.plugins.filter(({ name }) => !given.some((definition) => definition.name === name));
  const loaded = await loadPlugins(
    chosen.filter(({ enabled }) => enabled),
    configuration.limits.load,
  );
  const inOrder = chosen.flatMap(({ name }) => loaded.get(name) ?? []);
  const unloadable = inOrder.flatMap(({ problem }) => problem ?? []);
  const enabled = [...inOrder.flatMap(({ definition }) => definition ?? []), ...given];
  const listed = [
    ...chosen.map((plugin): ListedPlugin => ({
      name: plugin.name,
      enabled: plugin.enabled,
      origin: originOf(plugin),
      file: loaded.get(plugin.name)?.file,
    })),
    ...given.map(({ name }): ListedPlugin => ({ name, enabled: true, origin: 'given', file: undefined })),
  ];
  const plan = planOf(configuration, { enabled, disabled: [], listed, given });
  const warnings = strangeSettings(plan);
  const problems = check(plan);
  if (problems.length === 0) return { plan, problems: unloadable, warnings };
  const off = await loadPlugins(
    chosen.filter((plugin) => !plugin.enabled && plugin.standard),
    configuration.limits.load,
  );
  const disabled = [...off.values()].flatMap(({ definition }) => definition ?? []);
  const wiser = planOf(configuration, { enabled, disabled, listed, given });
  return { plan: soundPlan(wiser), problems: [...unloadable, ...check(wiser)], warnings: strangeSettings(wiser) };
}

const originOf = ({ standard, module }: ChosenPlugin): Origin =>
  standard ? 'standard' : module.startsWith('/') ? `path ${module}` : `package ${module}`;

function planOf(
  configuration: Configuration,
  { given, ...plan }: Pick<Plan, 'enabled' | 'disabled' | 'listed'> & { readonly given: readonly PluginDefinition[] },
): Plan {
  const { plugins, environment, settings } = configuration;
  const chosen = new Map(plugins.map((plugin) => [plugin.name, plugin]));
  const definitions = new Map(plan.enabled.map((definition) => [definition.name, definition]));
  const defaults = Object.entries(configuration.defaultProviders).filter(([port, name]) => {
    const definition = definitions.get(name);
    return definition !== undefined && portsOf(definition).includes(port);
  });
  return {
    ...plan,
    settings,
    providers: { ...Object.fromEntries(defaults), ...configuration.providers },
    configOf: (plugin) => ({ ...chosen.get(plugin)?.config, ...environmentOf(definitions.get(plugin), environment) }),
    setBy: (plugin, key) => settingVariable(definitions.get(plugin), environment, key),
    isOutside: (plugin) => chosen.get(plugin)?.standard === false,
    mountOf: (plugin) => chosen.get(plugin)?.mount ?? (given.some(({ name }) => name === plugin) ? 'anywhere' : 'own'),
  };
}

/** The plugin's configuration keys that are set by environment variables. */
function environmentOf(
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

/** The environment variable that has set a key of the plugin. */
export const settingVariable = (
  definition: PluginDefinition | undefined,
  environment: Configuration['environment'],
  key: string,
): string | undefined =>
  Object.entries(definition?.environment ?? {}).findLast(
    ([variable, target]) => target === key && (environment[variable] ?? '') !== '',
  )?.[0];

/**
 * Variables that start with HEXFORGE_ but set nothing, probably by a typing error. Variables of disabled plugins are
 * not recognized.
 */
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
