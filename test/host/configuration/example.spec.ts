// The example configuration file has every key, commented out, with its default; uncommented it changes nothing.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import t from 'tap';
import { count, maybe, shape, word } from '#adapters/http/descriptor/shape';
import type { ChosenPlugin } from '#host/configuration/configuration';
import { exampleFile } from '#host/configuration/example';
import { loadConfiguration } from '#host/configuration/load';
import { keys } from '#host/configuration/schema';
import { standardPlugins } from '#config/standard';
import { pluginConfiguration } from '#host/check/configuration';
import { definePlugin, type PluginDefinition } from '#host/plugin/definition';

const path = join(import.meta.dirname, '../../../config/hexforge.example.yaml');
const definitions = (): Promise<readonly PluginDefinition[]> =>
  Promise.all(standardPlugins.map(async ({ module }) => (await import(module)).default));

void t.test('the file matches the schemas; `hexforge config --example` prints it again', async (t) => {
  t.equal(readFileSync(path, 'utf8'), exampleFile(await definitions()));
});

void t.test('every line with a key is commented out', async (t) => {
  t.strictSame(
    readFileSync(path, 'utf8')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#')),
    [],
  );
});

void t.test('uncommented, it is the default configuration', async (t) => {
  const text = readFileSync(path, 'utf8')
    .split('\n')
    .map((line) =>
      /^# ( *)[\w.-]+:( |$)/.test(line) && !/^# {3}(enabled|path|package|mount): [^ft]/.test(line)
        ? line.slice(2)
        : line,
    )
    .join('\n');
  const parsed = load(text) as Record<string, Record<string, unknown>>;
  t.strictSame(
    Object.keys(parsed)
      .filter((key) => key in keys)
      .sort(),
    Object.keys(keys).sort(),
    'it has every key of the host',
  );
  const cwd = t.testdir({ 'hexforge.yaml': text });
  const { configuration, defaults } = {
    configuration: await loadConfiguration({ environment: {}, cwd, file: 'hexforge.yaml' }),
    defaults: await loadConfiguration({ environment: {}, cwd }),
  };
  for (const key of [
    'host',
    'port',
    'baseUrl',
    'webUrl',
    'dataDir',
    'database',
    'trustedProxies',
    'idleMs',
    'secretKeys',
    'logLevel',
    'limits',
  ] as const)
    t.strictSame(configuration[key], defaults[key], key);
  for (const definition of await definitions()) {
    const { config = {}, enabled } = configuration.plugins.find(({ name }) => name === definition.name) ?? {};
    const standard = standardPlugins.find(({ name }) => name === definition.name);
    t.equal(enabled, standard?.enabled, `${definition.name} is enabled if it is by default`);
    t.strictSame(
      Object.keys(parsed['plugins']?.[definition.name] ?? {}).sort(),
      ['enabled', ...Object.keys(definition.config?.describe().keys ?? {})].sort(),
      `${definition.name}: has every key`,
    );
    t.strictSame(
      pluginConfiguration(definition, config),
      pluginConfiguration(definition, {}),
      `${definition.name}: with its default`,
    );
    for (const { key, default: value } of definition.settings ?? [])
      t.equal(parsed['settings']?.[key], value, `settings.${key}`);
  }
});

void t.test('every key has a description, with its unit if it is a time or a size', async (t) => {
  for (const definition of await definitions()) {
    const own: Readonly<Record<string, { readonly flags?: { readonly description?: string } }>> =
      definition.config?.describe().keys ?? {};
    for (const [key, { flags }] of Object.entries(own)) {
      t.ok((flags?.description ?? '').length > 10, `plugins.${definition.name}.${key} is described`);
      for (const [ending, unit] of [
        ['bytes', 'bytes'],
        ['seconds', 'econds'],
        ['minutes', 'minutes'],
        ['days', 'days'],
      ] as const) {
        if (key.toLowerCase().endsWith(ending))
          t.match(flags?.description, new RegExp(unit), `plugins.${definition.name}.${key} has its unit`);
      }
    }
  }
  for (const [key, { description }] of Object.entries(keys))
    if (key.endsWith('timeout')) t.match(description, /Seconds/, key);
});

void t.test('a plugin that is not standard has its place, its sources of values and its required keys', async (t) => {
  const bell = definePlugin({
    name: 'bell',
    version: '1.0.0',
    api: '*',
    config: shape({
      url: word().description('Where it hangs,\nas a URL'),
      token: maybe(word()).meta({ secret: true }),
      volume: count().default(3),
    }) as never,
    environment: { BELL_URL: 'url', BELL_ADDRESS: 'url' },
    settings: [
      { key: 'sample.name', type: 'string', default: '', maxLength: 9, description: 'A name' },
      { key: 'sample.size', type: 'integer', default: 3, min: 1, max: 9, sensitive: true, description: 'A size' },
    ],
  });
  const chosen = (module: string): ChosenPlugin => ({
    name: 'bell',
    enabled: true,
    module,
    resolveFrom: '/etc',
    standard: false,
    mount: 'own',
    config: {},
  });
  const example = (module: string): readonly string[] =>
    exampleFile([bell], { plugins: [chosen(module)], providers: { Bell: 'bell' } }).split('\n');
  const lines = example('@acme/bell');
  t.strictSame(lines.slice(lines.indexOf('#   bell:'), -1), [
    '#   bell:',
    '#     enabled: true',
    "#     package: '@acme/bell'",
    '#     mount: own',
    '#     # Where it hangs, as a URL. Required. Environment: BELL_URL, BELL_ADDRESS.',
    '#     url:  # absent',
    '#     # A secret.',
    '#     token:  # absent',
    '#     volume: 3',
  ]);
  t.ok(example('/opt/bell.js').includes('#     path: /opt/bell.js'));
  for (const line of [
    '#   Bell: bell',
    '#   # A name (plugin bell; at most 9 characters)',
    '#   # A size (plugin bell; 1 to 9; a secret, which is better stored by an administrator)',
  ])
    t.ok(lines.includes(line), line);
});
