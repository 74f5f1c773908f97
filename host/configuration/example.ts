// Renders the example configuration file from the schemas: every key with its description, unit and default, commented
// out.
import type Joi from 'joi';
import { dump } from 'js-yaml';
import type { PluginDefinition } from '../plugin/definition.ts';
import { keys, pluginKeys, type Key } from './schema.ts';
import { defaultProviders, standardPlugins } from '#config/standard';

/** Keys whose members are named by ports, settings and plugins. They are rendered from the plugin definitions. */
const maps: ReadonlySet<string> = new Set(['providers', 'settings', 'plugins']);

/** The text of `config/hexforge.example.yaml` for the standard plugins; a test compares the file with it. */
export function exampleFile(definitions: readonly PluginDefinition[]): string {
  const lines = [
    '# The configuration of Hexforge: every key, with its default.',
    '# Copy it to config/hexforge.yaml, or name your copy with HEXFORGE_CONFIG. A key left out has its default;',
    '# where a variable is named, the environment wins over this file. `hexforge check` says what is wrong with it,',
    '# `hexforge config` what is in effect and why.',
    ...Object.entries(keys)
      .filter(([name]) => !maps.has(name))
      .flatMap(([name, key]) => ['', ...scalar(name, key)]),
    '',
    ...about(keys.providers),
    '# providers:',
    ...Object.entries(defaultProviders).map(([port, plugin]) => `#   ${port}: ${plugin}`),
    '',
    ...about(keys.settings),
    '# settings:',
    ...definitions.flatMap(({ name, settings = [] }) =>
      settings.flatMap((setting) => [
        `#   # ${setting.description} (plugin ${name}${setting.type === 'integer' ? `; ${setting.min} to ${setting.max}` : ''})`,
        `#   ${setting.key}: ${yaml(setting.default)}`,
      ]),
    ),
    '',
    ...about(keys.plugins),
    ...Object.entries(pluginKeys).map(([key, description]) => `#   ${key}: ${description}`),
    '# plugins:',
    ...definitions.flatMap(plugin),
  ];
  return `${lines.join('\n')}\n`;
}

const about = ({ description, environment }: Key): readonly string[] => [
  `# ${description}${environment === undefined ? '' : ` Environment: ${environment}.`}`,
];

function scalar(name: string, key: Key): readonly string[] {
  return [
    ...about(key),
    key.default === undefined ? `# ${name}:  # absent: ${key.otherwise}` : `# ${name}: ${yaml(key.default)}`,
  ];
}

function plugin({ name, config, environment = {} }: PluginDefinition): readonly string[] {
  const enabled = standardPlugins.find((standard) => standard.name === name)?.enabled ?? true;
  const variables = new Map(Object.entries(environment).map(([variable, target]) => [target, variable]));
  return [`#   ${name}:`, `#     enabled: ${enabled}`, ...members(config?.describe(), '#     ', variables)];
}

/** Each key of a schema, with the keys of a nested object indented below it. */
function members(
  described: Joi.Description | undefined,
  margin: string,
  variables: ReadonlyMap<string, string>,
): readonly string[] {
  const keysOf: Readonly<Record<string, Joi.Description>> = described?.keys ?? {};
  return Object.entries(keysOf).flatMap(([key, inner]) => {
    const flags: { readonly description?: string; readonly default?: unknown } = inner['flags'] ?? {};
    const variable = variables.get(key);
    const description = `${margin}# ${flags.description ?? ''}.${variable === undefined ? '' : ` Environment: ${variable}.`}`;
    if (inner.keys !== undefined) return [description, `${margin}${key}:`, ...members(inner, `${margin}  `, new Map())];
    return [
      description,
      flags.default === undefined ? `${margin}${key}:  # absent` : `${margin}${key}: ${yaml(flags.default)}`,
    ];
  });
}

/** A value as YAML on one line. */
const yaml = (value: unknown): string => dump(value, { flowLevel: 0, lineWidth: -1 }).trimEnd();
