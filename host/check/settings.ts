// Checks declared settings: their keys, and defaults outside the declared bounds.
import { settingMisfit, type SettingDeclaration } from '#core/kernel/services/settings';
import type { Plan } from '../plugin/plan.ts';
import type { Problem } from '../problems/problem.ts';

/** The key is used in a URL path and in the configuration file. */
const keyPattern = /^[a-z0-9][a-z0-9_-]*(?:\.[a-z0-9_-]+)+$/;
const longestKey = 200;

export function settingDeclarationProblems({ enabled, isOutside }: Plan): readonly Problem[] {
  return enabled.flatMap(({ name: plugin, settings = [], repositorySettings = [] }) => {
    const ofRepositories: readonly SettingDeclaration<string>[] = repositorySettings;
    return [
      ...[...settings, ...ofRepositories].flatMap((setting) =>
        [badKey(plugin, setting, isOutside(plugin)), badDeclaration(plugin, setting)].flat(),
      ),
      ...ofRepositories.filter(({ sensitive }) => sensitive === true).map(({ key }) => sealed(plugin, key)),
    ];
  });
}

/** The values of a repository are not sealed. */
const sealed = (plugin: string, key: string): Problem => ({
  code: 'sensitive_repository_setting',
  plugin,
  message: `The setting "${key}" of plugin "${plugin}" is sensitive, which a setting of repositories cannot be`,
  remedy: 'Remove `sensitive`, and store secrets in a table of the plugin, sealed with the port `Sealer`',
});

function badKey(plugin: string, { key }: SettingDeclaration<string>, outside: boolean): Problem | readonly Problem[] {
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

function badDeclaration(plugin: string, setting: SettingDeclaration<string>): Problem | readonly Problem[] {
  const expected = settingMisfit(setting, setting.default);
  if (expected === undefined) return [];
  return {
    code: 'setting_declaration',
    plugin,
    message: `The setting "${setting.key}" of plugin "${plugin}" has a default that must be ${expected}`,
    remedy: 'Correct it in its definition',
  };
}
