// Contributed settings: the configured value over the default that a plugin declares. Storing them is a plugin's
// business, through the same port.
import { NotFound } from '#core/kernel/errors';
import type { SettingDeclaration, Settings } from '#core/kernel/settings';
import type { PluginDefinition } from '../definition.ts';
import { didYouMean, nearest } from '../nearest.ts';
import { offIn, outside, type Plan } from '../plan.ts';
import type { Problem } from '../problem.ts';

export const declaredSettings = (definitions: readonly PluginDefinition[]): readonly SettingDeclaration[] =>
  definitions.flatMap(({ settings = [] }) => settings);

export function settingProblems(plan: Plan): readonly Problem[] {
  const byKey = new Map<string, SettingDeclaration>(
    declaredSettings(plan.enabled).map((setting) => [setting.key, setting]),
  );
  const ofDisabled = new Set<string>(declaredSettings(plan.disabled).map(({ key }) => key));
  return Object.entries(plan.settings).flatMap(([key, value]): readonly Problem[] => {
    const setting = byKey.get(key);
    if (setting === undefined)
      return ofDisabled.has(key) || mayBeOf(plan, key) !== undefined
        ? []
        : [
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

/** Settings that set nothing, and are let be because they may belong to a plugin that is off. */
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
 * The plugin from outside that is off and may declare the key. It is not imported to know: whatever it does while it is
 * loaded may be why it is off. A key that is near one of an enabled plugin is a slip of the hand.
 */
function mayBeOf(plan: Plan, key: string): string | undefined {
  const off = [...offIn(plan)].filter((name) => outside(plan, name));
  const named = off.find((name) => key.startsWith(`${name}.`));
  if (named !== undefined) return named;
  return nearest(
    key,
    declaredSettings(plan.enabled).map((setting) => setting.key),
  ) === undefined
    ? off[0]
    : undefined;
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
