// Contributed settings: the configured value, or else the default that a plugin declares. A plugin can replace the port
// to store values.
import { settingCatalogue, settingMisfit } from '#core/kernel/services/settings';
import type { SettingCatalogue, SettingDeclaration, Settings } from '#core/kernel/services/settings';
import type { PluginDefinition } from '../plugin/definition.ts';
import type { Life } from '../plugin/life.ts';
import { didYouMean, nearest } from '../problems/nearest.ts';
import { offIn, type Plan } from '../plugin/plan.ts';
import type { Problem } from '../problems/problem.ts';
import { living } from './living.ts';

export const declaredSettings = (definitions: readonly PluginDefinition[]): readonly SettingDeclaration[] =>
  definitions.flatMap(({ settings = [] }) => settings);

export function settingProblems(plan: Plan): readonly Problem[] {
  const byKey = new Map<string, SettingDeclaration>(
    declaredSettings(plan.enabled).map((setting) => [setting.key, setting]),
  );
  const ofDisabled = new Set<string>(declaredSettings(plan.disabled).map(({ key }) => key));
  return Object.entries(plan.settings).flatMap(([key, value]): Problem | readonly Problem[] => {
    const setting = byKey.get(key);
    if (setting === undefined)
      return ofDisabled.has(key) || mayBeOf(plan, key) !== undefined
        ? []
        : {
            code: 'unknown_setting',
            message: `settings.${key} is no setting of an enabled plugin`,
            remedy: didYouMean(key, byKey.keys(), 'Remove the line'),
          };
    const expected = settingMisfit(setting, value);
    return expected === undefined
      ? []
      : {
          code: 'bad_setting',
          message: `settings.${key} must be ${expected}`,
          remedy: `Correct the value, or remove the line for the default ${JSON.stringify(setting.default)}`,
        };
  });
}

/** Warnings for unknown settings that are accepted because they may belong to a disabled plugin. */
export function strangeSettings(plan: Plan): readonly string[] {
  const known = new Set<string>(declaredSettings([...plan.enabled, ...plan.disabled]).map(({ key }) => key));
  return Object.keys(plan.settings).flatMap((key) => {
    const owner = known.has(key) ? undefined : mayBeOf(plan, key);
    return owner === undefined
      ? []
      : [`settings.${key} is no setting of an enabled plugin, and is taken for one of "${owner}", which is off`];
  });
}

/**
 * The disabled external plugin that may declare the key. It is not imported to find out, because loading it may be why
 * it is disabled. A key similar to one of an enabled plugin counts as a typing error.
 */
function mayBeOf(plan: Plan, key: string): string | undefined {
  const off = [...offIn(plan)].filter((name) => plan.isOutside(name));
  const named = off.find((name) => key.startsWith(`${name}.`));
  if (named !== undefined) return named;
  const known = declaredSettings(plan.enabled).map((setting) => setting.key);
  return nearest(key, known) === undefined ? off[0] : undefined;
}

/** Leaves out the settings of plugins that have failed. */
export function livingSettings(
  lives: readonly Life[],
  configured: Readonly<Record<string, unknown>>,
): SettingCatalogue {
  const catalogue = living(lives, (definitions) => settingCatalogue(definitions, configured));
  return { all: () => catalogue().all(), of: (key) => catalogue().of(key) } satisfies SettingCatalogue;
}

/** The settings of repositories, in the same way. They have no configured values. */
export function livingRepositorySettings(lives: readonly Life[]): SettingCatalogue<string> {
  const catalogue = living(lives, (definitions) =>
    settingCatalogue<string>(
      definitions.map(({ name, repositorySettings = [] }) => ({ name, settings: repositorySettings })),
      {},
    ),
  );
  return { all: () => catalogue().all(), of: (key) => catalogue().of(key) } satisfies SettingCatalogue<string>;
}

/** The port `Settings` if no plugin stores settings. */
export function configuredSettings(catalogue: SettingCatalogue): Settings {
  const get = async (key: string): Promise<unknown> => catalogue.of(key).configured;
  return { get: get as Settings['get'] } satisfies Settings;
}
