// Checks declared settings: their keys, and defaults outside the declared bounds.
import { settingMisfit, type SettingDeclaration } from '#core/kernel/services/settings';
import type { Plan } from '../plugin/plan.ts';
import type { Problem } from '../problems/problem.ts';

/** The key is used in a URL path and in the configuration file. */
const keyPattern = /^[a-z0-9][a-z0-9_-]*(?:\.[a-z0-9_-]+)+$/;
const longestKey = 200;

export function settingDeclarationProblems({ enabled, isOutside }: Plan): readonly Problem[] {
  return enabled.flatMap(({ name: plugin, settings = [] }) =>
    settings.flatMap((setting) => [badKey(plugin, setting, isOutside(plugin)), badDeclaration(plugin, setting)].flat()),
  );
}

function badKey(plugin: string, { key }: SettingDeclaration, outside: boolean): Problem | readonly Problem[] {
  const said = `The setting "${key}" of plugin "${plugin}"`;
  if (!keyPattern.test(key) || key.length > longestKey)
    return {
      code: 'setting_name',
      plugin,
      message: `${said} is not named with words joined by dots`,
      remedy: `Name it such as "${plugin}.size": lower-case letters, digits, "_" and "-", at most ${longestKey} characters`,
    };
  return !outside || key.startsWith(`${plugin}.`)
    ? []
    : {
        code: 'setting_name',
        plugin,
        message: `${said} does not start with the plugin's name`,
        remedy: `Name it "${plugin}.${key.slice(key.indexOf('.') + 1)}"`,
      };
}

function badDeclaration(plugin: string, setting: SettingDeclaration): Problem | readonly Problem[] {
  const expected = settingMisfit(setting, setting.default);
  if (expected === undefined) return [];
  return {
    code: 'setting_declaration',
    plugin,
    message: `The setting "${setting.key}" of plugin "${plugin}" has a default that must be ${expected}`,
    remedy: 'Correct it in the `settings` of its definition',
  };
}
