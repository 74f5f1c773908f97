// The command `hexforge config`: prints the effective configuration, each value with its source, secrets masked.
import type Joi from 'joi';
import { mask, type Configuration, type ShownValue } from '#host/configuration/configuration';
import { exampleFile, isSecret } from '#host/configuration/example';
import { pluginConfiguration } from '../check/configuration.ts';
import { declaredSettings } from '../contributions/settings.ts';
import type { PluginDefinition } from '../plugin/definition.ts';
import { settingVariable, type Listed } from '../loading/plugins.ts';
import { examined, print, printTable, type Command } from './command.ts';

export const config: Command = {
  name: 'config',
  summary: 'shows the effective configuration, each value with its source, secrets masked',
  example: 'hexforge config',
  flags: {
    example: {
      type: 'boolean',
      description: 'a configuration file with every key of the enabled plugins, commented out',
    },
  },
  async run(context) {
    const { configuration, listed } = await examined(context);
    if (context.flags['example'] === true) {
      print(context, exampleFile(listed.plan.enabled, configuration).trimEnd());
      return 0;
    }
    const values = [...configuration.shown, ...ofPlugins(configuration, listed), ...ofSettings(configuration, listed)];
    printTable(
      context,
      values.map(({ key, value, source }) => [
        key,
        typeof value === 'string' ? value : JSON.stringify(value),
        `# ${source}`,
      ]),
    );
    return 0;
  },
};

function ofPlugins(configuration: Configuration, { plan }: Listed): readonly ShownValue[] {
  return plan.enabled.flatMap((definition) => {
    const keys: Readonly<Record<string, Joi.Description>> = definition.config?.describe().keys ?? {};
    const { value: values } = pluginConfiguration(definition, plan.configOf(definition.name));
    return Object.keys(keys).map((key): ShownValue => {
      const value: unknown = typeof values === 'object' && values !== null ? Reflect.get(values, key) : undefined;
      return {
        key: `plugins.${definition.name}.${key}`,
        value: shownValue(key, value, keys[key]),
        source: sourceOf(configuration, definition, key),
      };
    });
  });
}

function sourceOf({ environment, plugins, file }: Configuration, definition: PluginDefinition, key: string): string {
  const variable = settingVariable(definition, environment, key);
  if (variable !== undefined) return `environment ${variable}`;
  return key in (plugins.find(({ name }) => name === definition.name)?.config ?? {}) ? `file ${file ?? ''}` : 'default';
}

/** Masks keys that a plugin marks with `.meta({ secret: true })`, and keys whose names suggest a secret. */
function shownValue(key: string, value: unknown, description: Joi.Description | undefined): unknown {
  if (value === undefined) return '(absent)';
  if (isSecret(description) || /password|secret|token|key$/i.test(key)) return mask;
  return typeof value === 'string' ? withoutPasswords(value) : value;
}

/** Masks the text between `://name:` and an `@`. */
const withoutPasswords = (text: string): string =>
  text
    .split('@')
    .map((part, index, parts) => (index === parts.length - 1 ? part : part.replace(/(:\/\/[^:/]*:)[^]*/, `$1${mask}`)))
    .join('@');

function ofSettings({ settings, file }: Configuration, { plan }: Listed): readonly ShownValue[] {
  return declaredSettings(plan.enabled).map(({ key, sensitive, default: value }): ShownValue => {
    const given = Object.hasOwn(settings, key);
    return {
      key: `settings.${key}`,
      value: sensitive === true ? mask : given ? settings[key] : value,
      source: given ? `file ${file ?? ''}` : 'default',
    };
  });
}
