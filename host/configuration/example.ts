// Renders the example configuration file from the schemas: every key with its description, unit and default, commented
// out.
import type Joi from 'joi';
import { dump } from 'js-yaml';
import type { SettingDeclaration } from '#core/kernel/services/settings';
import type { PluginDefinition } from '../plugin/definition.ts';
import { stopped } from '../problems/problem.ts';
import type { ChosenPlugin } from './configuration.ts';
import { keys, pluginKeys, type Key } from './schema.ts';
import { defaultProviders, standardPlugins } from '#config/standard';

/** Keys whose members are named by ports, settings and plugins. They are rendered from the plugin definitions. */
const maps: ReadonlySet<string> = new Set(['providers', 'settings', 'plugins']);

/** The choices of an operator that the defaults do not contain. */
export interface Choices {
  /** The plugins of the configuration: the file has the place of each that is not standard. */
  readonly plugins: readonly ChosenPlugin[];
  /** Port name to plugin name. */
  readonly providers: Readonly<Record<string, string>>;
}

/** The text of `config/hexforge.example.yaml` for the standard plugins; a test compares the file with it. */
export function exampleFile(
  definitions: readonly PluginDefinition[],
  { plugins, providers }: Choices = { plugins: [], providers: {} },
): string {
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
    ...Object.entries({ ...defaultProviders, ...providers }).map(([port, plugin]) => `#   ${port}: ${plugin}`),
    '',
    ...about(keys.settings),
    '# settings:',
    ...definitions.flatMap(({ name, settings = [] }) =>
      settings.flatMap((setting) => [
        `#   # ${oneLine(setting.description)} (plugin ${name}${boundsOf(setting)})`,
        `#   ${setting.key}: ${yaml(setting.default)}`,
      ]),
    ),
    '',
    ...about(keys.plugins),
    ...Object.entries(pluginKeys).map(([key, description]) => `#   ${key}: ${description}`),
    '# plugins:',
    ...definitions.flatMap((definition) =>
      plugin(
        definition,
        plugins.find(({ name }) => name === definition.name),
      ),
    ),
  ];
  return `${lines.join('\n')}\n`;
}

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();

/** The bounds of a setting, which its default does not show. */
function boundsOf(setting: SettingDeclaration): string {
  const secret = setting.sensitive === true ? '; a secret, which is better stored by an administrator' : '';
  if (setting.type === 'integer') return `; ${setting.min} to ${setting.max}${secret}`;
  if (setting.type === 'string' && setting.maxLength !== undefined)
    return `; at most ${setting.maxLength} characters${secret}`;
  return secret;
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

function plugin(
  { name, config, environment = {} }: PluginDefinition,
  chosen: ChosenPlugin | undefined,
): readonly string[] {
  const enabled = standardPlugins.find((standard) => standard.name === name)?.enabled ?? true;
  const variables = Map.groupBy(Object.keys(environment), (variable) => environment[variable] ?? '');
  return [
    `#   ${name}:`,
    `#     enabled: ${enabled}`,
    ...(chosen === undefined || chosen.standard ? [] : placeOf(chosen)),
    ...members(config?.describe(), '#     ', variables),
  ];
}

/** The place of a plugin that is not standard. A path is absolute, because the file may be copied elsewhere. */
const placeOf = ({ module, mount }: ChosenPlugin): readonly string[] => [
  `#     ${module.startsWith('/') ? 'path' : 'package'}: ${yaml(module)}`,
  `#     mount: ${mount}`,
];

/** Each key of a schema, with the keys of a nested object indented below it. */
function members(
  described: Joi.Description | undefined,
  margin: string,
  variables: ReadonlyMap<string, readonly string[]>,
): readonly string[] {
  const keysOf: Readonly<Record<string, Joi.Description>> = described?.keys ?? {};
  return Object.entries(keysOf).flatMap(([key, inner]) => {
    const flags: { readonly description?: string; readonly default?: unknown; readonly presence?: string } =
      inner['flags'] ?? {};
    const comment = [
      ...(flags.description === undefined ? [] : [stopped(oneLine(flags.description))]),
      ...(flags.presence === 'required' ? ['Required.'] : []),
      ...(isSecret(inner) ? ['A secret.'] : []),
      ...(variables.has(key) ? [`Environment: ${variables.get(key)?.join(', ') ?? ''}.`] : []),
    ];
    const lines = comment.length === 0 ? [] : [`${margin}# ${comment.join(' ')}`];
    if (inner.keys !== undefined) return [...lines, `${margin}${key}:`, ...members(inner, `${margin}  `, new Map())];
    return [
      ...lines,
      flags.default === undefined ? `${margin}${key}:  # absent` : `${margin}${key}: ${yaml(flags.default)}`,
    ];
  });
}

/** Whether a key is marked with `.meta({ secret: true })`. */
export const isSecret = (description: Joi.Description | undefined): boolean => {
  const metas: readonly { readonly secret?: boolean }[] = description?.['metas'] ?? [];
  return metas.some(({ secret }) => secret === true);
};

/** A value as YAML on one line. */
const yaml = (value: unknown): string => dump(value, { flowLevel: 0, lineWidth: -1 }).trimEnd();
