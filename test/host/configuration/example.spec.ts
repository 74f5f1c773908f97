// The example configuration file has every key, commented out, with its default; uncommented it changes nothing.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import t from 'tap';
import { exampleFile } from '#host/configuration/example';
import { loadConfiguration } from '#host/configuration/load';
import { keys } from '#host/configuration/schema';
import { standardPlugins } from '#config/standard';
import { pluginConfiguration } from '#host/check/configuration';
import type { PluginDefinition } from '#host/plugin/definition';

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
