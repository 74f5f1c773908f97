// Contributed settings: the configured value over the default that a plugin declares. Storing them is a plugin's
// business, through the same port.
import { NotFound } from '#core/kernel/errors';
import type { SettingDeclaration, Settings } from '#core/kernel/settings';
import type { PluginDefinition } from '../definition.ts';
import { didYouMean } from '../nearest.ts';
import type { Problem } from '../problem.ts';

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
    const expected = unfit(setting, value);
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

/** What the value should have been, or undefined where it is good. */
function unfit(setting: SettingDeclaration, value: unknown): string | undefined {
  switch (setting.type) {
    case 'boolean':
      return typeof value === 'boolean' ? undefined : 'true or false';
    case 'integer':
      return Number.isInteger(value) && Number(value) >= setting.min && Number(value) <= setting.max
        ? undefined
        : `a whole number from ${setting.min} to ${setting.max}`;
    case 'string': {
      const most = setting.maxLength ?? 65_536;
      return typeof value === 'string' && value.length <= most ? undefined : `a text of at most ${most} characters`;
    }
  }
}

export function configuredSettings(
  definitions: readonly PluginDefinition[],
  configured: Readonly<Record<string, unknown>>,
): Settings {
  const values = new Map<string, unknown>(declaredSettings(definitions).map(({ key, default: value }) => [key, value]));
  for (const [key, value] of Object.entries(configured)) values.set(key, value);
  const get = async (key: string): Promise<unknown> => {
    if (!values.has(key)) throw new NotFound(`There is no setting "${key}"`);
    return values.get(key);
  };
  return { get: get as Settings['get'] } satisfies Settings;
}
