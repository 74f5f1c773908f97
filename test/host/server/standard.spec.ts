// Each standard plugin disabled alone: the forge starts without it, or the rejection names its dependents.
import { join } from 'node:path';
import t from 'tap';
import { loadConfiguration } from '#host/configuration/load';
import { pluginKeys } from '#host/configuration/schema';
import { defaultProviders, standardPlugins } from '#config/standard';
import type { PluginDefinition } from '#host/plugin/definition';
import { provision, traitsOf } from '#host/plugin/plan';
import { Refused } from '#host/problems/problem';
import { checkPlugin } from '#host/sdk/testing';
import { startForge, type Forge } from '#host/server/serve';
import { projectFiles } from '../../../tools/project-files.ts';
import { enabledPlugins } from '#test/support/plugin-list';

const definitionOf = async (module: string): Promise<PluginDefinition> => (await import(module)).default;
const all = (): Promise<readonly PluginDefinition[]> =>
  Promise.all(standardPlugins.map(({ module }) => definitionOf(module)));

/** Starts a forge with the memory database, or returns the rejection. */
async function start(dataDir: string, switches: string): Promise<Forge | Refused> {
  const environment = {
    PORT: '0',
    HEXFORGE_DATABASE: 'memory',
    HEXFORGE_DATA_DIR: dataDir,
    HEXFORGE_PLUGINS: switches,
    HEXFORGE_LOG_LEVEL: 'silent',
    PATH: process.env['PATH'],
  };
  try {
    return await startForge(await loadConfiguration({ environment, cwd: '/' }), {
      stdout: { write: () => undefined },
      stderr: { write: () => undefined },
    });
  } catch (error) {
    if (error instanceof Refused) return error;
    throw error;
  }
}

/** The keys without a default, which `ldap` has. */
const required = { url: 'ldaps://ldap.example.org', base_dn: 'dc=example,dc=org' };

void t.test('the list has modules of the standard plugins, each valid alone', async (t) => {
  t.ok(standardPlugins.length >= 6);
  for (const { name, module } of standardPlugins) {
    const definition = await definitionOf(module);
    t.equal(definition.name, name);
    t.strictSame(checkPlugin(definition, { config: { ldap: required } }), [], name);
  }
});

void t.test('every plugin configuration key in a sentence or on a page exists', async (t) => {
  // `path` and `package` would replace a standard plugin.
  const { path: _path, package: _package, ...ofStandard } = pluginKeys;
  const keysOf = new Map<string, readonly string[]>(
    (await all()).map(({ name, config }) => [name, Object.keys({ ...ofStandard, ...config?.describe().keys })]),
  );
  const named = projectFiles(['ts', 'md', 'yaml'])
    .filter(({ path }) => !path.startsWith('test/'))
    .flatMap(({ path, text }) =>
      [...text.matchAll(/\bplugins\.([a-z-]+)\.([a-z_]+)/g)].map(([key, plugin = '', own = '']) => ({
        said: `${path}: ${key}`,
        exists: keysOf.get(plugin)?.includes(own) === true,
      })),
    );
  t.ok(named.length > 0);
  t.strictSame(
    named.filter(({ exists }) => !exists).map(({ said }) => said),
    [],
  );
});

void t.test('each default provider provides its port', async (t) => {
  const { candidatesOf } = provision(await all(), {});
  for (const [port, plugin] of Object.entries(defaultProviders))
    t.ok(
      candidatesOf(port).some(({ name }) => name === plugin),
      `${plugin} provides ${port}`,
    );
});

void t.test('all together they start, and their routes exist', async (t) => {
  const forge = await start(join(t.testdir(), 'd'), '');
  if (forge instanceof Refused) throw forge;
  t.teardown(() => forge.stop());
  t.strictSame(
    forge.plugins().map(({ state }) => state),
    enabledPlugins.map(() => 'started'),
  );
  t.equal((await fetch(`${forge.url}/readyz`)).status, 200);
});

for (const { name } of standardPlugins) {
  void t.test(`without ${name} it starts, or its dependents are named`, async (t) => {
    const outcome = await start(join(t.testdir(), 'd'), `-${name}`);
    if (!(outcome instanceof Refused)) {
      t.teardown(() => outcome.stop());
      t.notOk(outcome.plugins().some((plugin) => plugin.name === name));
      t.equal((await fetch(`${outcome.url}/readyz`)).status, 200);
      return;
    }
    const definitions = await all();
    const ports = Object.keys(definitions.find((definition) => definition.name === name)?.provides ?? {});
    for (const { code, message, remedy } of outcome.problems) {
      const missed = ports.filter((port) => message.includes(traitsOf(port)?.component ?? port));
      t.equal(missed.length, 1, `one port of ${name} is named: ${message}`);
      const needing = definitions.filter(
        (definition) =>
          enabledPlugins.includes(definition.name) &&
          (definition.needs ?? []).some((need) => missed.includes(need)) &&
          definition.name !== name,
      );
      if (code === 'missing_port') {
        for (const plugin of needing) t.match(message, new RegExp(`needed by .*"${plugin.name}"`));
        t.match(remedy, new RegExp(`HEXFORGE_PLUGINS=\\+${name}`));
      } else {
        // Not needed to run, only for a step of this first start.
        t.equal(code, 'plugin_start_failed');
        t.ok(
          needing.some((plugin) => message.startsWith(`Plugin "${plugin.name}" did not start: `)),
          message,
        );
      }
    }
  });
}

void t.test('without repositories accounts work and the routes of repositories are 404', async (t) => {
  const forge = await start(
    join(t.testdir(), 'd'),
    '-repositories,-git-http,-planning,-issues,-merges,-search,-search-sql,-mcp',
  );
  if (forge instanceof Refused) throw forge;
  t.teardown(() => forge.stop());
  t.equal((await fetch(`${forge.url}/api/v1/repos`)).status, 404);
  t.equal((await fetch(`${forge.url}/api/v1/user`)).status, 401);
});
