// Contributed settings: the configured value over the default that a plugin declares. Storing them is a plugin's
// business, through the same port.
import { settingCatalogue, settingMisfit } from '#core/kernel/settings';
import type { SettingCatalogue, SettingDeclaration, Settings } from '#core/kernel/settings';
import type { PluginDefinition } from '../definition.ts';
import type { Life } from '../life.ts';
import { didYouMean } from '../nearest.ts';
import type { Problem } from '../problem.ts';
import { living } from './living.ts';

export const declaredSettings = (definitions: readonly PluginDefinition[]): readonly SettingDeclaration[] =>
  definitions.flatMap(({ settings = [] }) => settings);

export function settingProblems(
  definitions: readonly PluginDefinition[],
  configured: Readonly<Record<string, unknown>>,
): readonly Problem[] {
  const byKey = new Map<string, SettingDeclaration>(
    declaredSettings(definitions).map((setting) => [setting.key, setting]),
  );
  return Object.entries(configured).flatMap(([key, value]): readonly Problem[] => {
    const setting = byKey.get(key);
    if (setting === undefined)
      return [
        {
          code: 'unknown_setting',
          message: `settings.${key} is no setting of an enabled plugin`,
          remedy: didYouMean(key, byKey.keys(), 'Remove the line'),
        },
      ];
    const expected = settingMisfit(setting, value);
    return expected === undefined
      ? []
      : [
          {
            code: 'bad_setting',
            message: `settings.${key} must be ${expected}`,
            remedy: `Correct the value, or remove the line for the default ${JSON.stringify(setting.default)}`,
          },
        ];
  });
}

/** Follows the plugins: a setting of one that failed is gone. */
export function livingSettings(
  lives: readonly Life[],
  configured: Readonly<Record<string, unknown>>,
): SettingCatalogue {
  const catalogue = living(lives, (definitions) => settingCatalogue(definitions, configured));
  return { all: () => catalogue().all(), of: (key) => catalogue().of(key) } satisfies SettingCatalogue;
}

/** Settings where no plugin stores any. */
export function configuredSettings(catalogue: SettingCatalogue): Settings {
  const get = async (key: string): Promise<unknown> => catalogue.of(key).configured;
  return { get: get as Settings['get'] } satisfies Settings;
}
