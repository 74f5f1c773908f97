// A whole forge in this process: its output, requests, stop, and failed starts.
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { api } from '#adapters/http/descriptor/route';
import { loadConfiguration } from '#host/configuration/load';
import { anyone } from '#core/kernel/access/access';
import { askServer } from '#host/control/socket';
import { definePlugin, PLUGIN_API_VERSION, type PluginDefinition } from '#host/plugin/definition';
import { Refused } from '#host/problems/problem';
import { startForge } from '#host/server/serve';
import { version } from '#host/version';
import { nothingBut } from '#test/support/plugin-list';

const base = { version: '1.0.0', api: `^${PLUGIN_API_VERSION}` };
const route = (id: string, path: string, run: () => Promise<undefined>) =>
  api({
    id,
    summary: 'A sample',
    method: 'GET',
    path,
    access: anyone,
    scope: null,
    meter: 'none',
    result: 'empty',
    success: 204,
    run,
  });

async function start(
  t: Test,
  definitions: readonly PluginDefinition[],
  environment: Readonly<Record<string, string>> = {},
) {
  const dataDir = join(t.testdir(), 'd');
  const output = { stdout: '', stderr: '' };
  const configuration = await loadConfiguration({
    cwd: t.testdirName,
    environment: {
      PORT: '0',
      HEXFORGE_DATABASE: 'memory',
      HEXFORGE_DATA_DIR: dataDir,
      HEXFORGE_PLUGINS: nothingBut(),
      ...environment,
    },
  });
  const forge = await startForge(configuration, {
    definitions,
    stdout: {
      write: (text) => {
        output.stdout += text;
      },
    },
    stderr: {
      write: (text) => {
        output.stderr += text;
      },
    },
  });
  t.teardown(() => forge.stop());
  return { forge, dataDir, output };
}

/** The rejection of a start. */
async function refusal(starting: Promise<unknown>): Promise<Refused> {
  try {
    await starting;
  } catch (error) {
    if (error instanceof Refused) return error;
    throw error;
  }
  throw new Error('the start was not refused');
}

void t.test('prints announcements of plugins and one line when ready, and logs to stderr', async (t) => {
  const { forge, output } = await start(t, [
    definePlugin({
      ...base,
      name: 'a',
      start: async (_, { instance, log }) => {
        instance.announce('password: once');
        log.info({ plain: true }, 'started');
      },
    }),
  ]);
  t.equal(output.stdout, `password: once\nlistening on ${forge.url}\n`);
  t.match(JSON.parse(output.stderr.split('\n')[0] ?? ''), { level: 30, name: 'a', plain: true, msg: 'started' });
  t.notMatch(output.stderr, /once/);
  t.match(forge.url, /^http:\/\/127\.0\.0\.1:\d+$/);
});

void t.test('the instance that a plugin gets has the URL of the server, also on a free port', async (t) => {
  let seen = '';
  const { forge, dataDir } = await start(t, [
    definePlugin({
      ...base,
      name: 'a',
      build: ({ instance }) => {
        seen = instance.baseUrl;
        t.match(instance, { webUrl: instance.baseUrl, version });
      },
    }),
  ]);
  t.equal(seen, forge.url);
  t.ok(existsSync(join(dataDir, 'hexforge.json')));
});

void t.test('a request is logged once, without its path and without secrets', async (t) => {
  const { forge, output } = await start(t, [
    definePlugin({ ...base, name: 'a', routes: () => [route('thingGet', '/things/{name}', async () => undefined)] }),
  ]);
  await fetch(`${forge.url}/api/v1/things/private-name?q=hunter2`, { headers: { 'x-request-id': 'request-1' } });
  await forge.stop();
  const lines = output.stderr
    .trimEnd()
    .split('\n')
    .map((line): Record<string, unknown> => JSON.parse(line))
    .filter(({ name }) => name === 'access');
  t.equal(lines.length, 1);
  t.match(lines[0], {
    requestId: 'request-1',
    method: 'GET',
    route: /things\/\{name\}/,
    status: 204,
    ms: Number,
    bytes: Number,
  });
  t.notMatch(output.stderr, /private-name|hunter2/);
});

void t.test('an unknown variable with our prefix is logged as a warning', async (t) => {
  const { output } = await start(t, [], { HEXFORGE_LOG_LEVL: 'debug', HEXFORGE_TEST_DATABASE: 'x', LANG: 'C' });
  const warnings = output.stderr
    .trimEnd()
    .split('\n')
    .map((line): Record<string, unknown> => JSON.parse(line))
    .filter(({ level }) => level === 40);
  t.match(warnings, [
    {
      variable: 'HEXFORGE_LOG_LEVL',
      msg: 'this environment variable sets nothing. Did you mean "HEXFORGE_LOG_LEVEL"?',
    },
  ]);
  t.equal(warnings.length, 1);
});

void t.test('the command line reaches it through its socket until it stops', async (t) => {
  const { forge, dataDir } = await start(t, [definePlugin({ ...base, name: 'a' })]);
  const answer = await askServer(dataDir, { ask: 'plugins' });
  t.equal(answer?.pid, process.pid);
  t.match(
    ((answer?.value ?? []) as readonly { readonly state: string }[]).filter(({ state }) => state !== 'disabled'),
    [{ name: 'a', version: '1.0.0', state: 'started' }],
  );
  await t.rejects(askServer(dataDir, { ask: 'reset-password', argument: 'x' }), {
    message: /No enabled plugin keeps accounts/,
  });
  await forge.stop();
  t.equal(await askServer(dataDir, { ask: 'plugins' }), undefined);
  t.strictSame(readdirSync(join(dataDir, 'run')), []);
});

void t.test('a request in flight finishes before the plugins stop', async (t) => {
  const notes: string[] = [];
  const [arrived, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const { forge } = await start(t, [
    definePlugin({
      ...base,
      name: 'a',
      routes: () => [
        route('slowGet', '/slow', async () => {
          arrived.resolve();
          await release.promise;
          notes.push('answered');
          return undefined;
        }),
      ],
      stop: async () => {
        notes.push('stopped');
      },
    }),
  ]);
  const answer = fetch(`${forge.url}/api/v1/slow`, { headers: { connection: 'close' } });
  await arrived.promise;
  const stopped = forge.stop();
  release.resolve();
  t.equal((await answer).status, 204);
  await stopped;
  t.strictSame(notes, ['answered', 'stopped']);
  await t.rejects(fetch(forge.url), 'the server no longer listens');
});

void t.test('a port in use is rejected before any plugin has started', async (t) => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  t.teardown(() => other.close());
  const address = other.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const notes: string[] = [];
  t.match(
    await refusal(
      start(
        t,
        [
          definePlugin({
            ...base,
            name: 'a',
            start: async () => {
              notes.push('started');
            },
          }),
        ],
        { PORT: String(port) },
      ),
    ),
    {
      problems: [
        {
          code: 'cannot_listen',
          message: `Port ${port} on 127.0.0.1 is taken`,
          remedy: 'Set PORT to a free one, or stop the process that listens there',
        },
      ],
    },
  );
  t.strictSame(notes, []);
});

void t.test('a failed start leaves nothing running', async (t) => {
  const notes: string[] = [];
  t.match(
    await refusal(
      start(t, [
        definePlugin({
          ...base,
          name: 'a',
          start: async () => {
            notes.push('start a');
          },
          stop: async () => {
            notes.push('stop a');
          },
        }),
        definePlugin({
          ...base,
          name: 'b',
          start: async () => {
            throw new Error('no luck');
          },
        }),
      ]),
    ),
    { problems: [{ code: 'plugin_start_failed' }] },
  );
  t.strictSame(notes, ['start a', 'stop a']);
  t.notOk(existsSync(join(t.testdirName, 'd/run')) && readdirSync(join(t.testdirName, 'd/run')).length > 0);
});

void t.test('all problems of the plugins are found before the data directory is touched', async (t) => {
  const broken = definePlugin({ ...base, name: 'a', api: '^9.0.0', tables: ['b_thing'] });
  t.match(await refusal(start(t, [broken])), { problems: [{ code: 'incompatible_api' }, { code: 'table_name' }] });
  t.notOk(existsSync(join(t.testdirName, 'd')));
});

void t.test(
  'plugins of a path are configured, loaded and served under their own prefix; a bad module is rejected',
  async (t) => {
    const sdk = new URL('../../../host/sdk/plugin.ts', import.meta.url).href;
    const code = `import { anyone, api, definePlugin, Joi } from ${JSON.stringify(sdk)};
export default definePlugin({ name: 'guest', version: '1.0.0', api: '^0.2.0', config: Joi.object({ word: Joi.string().default('x') }), environment: { GUEST_WORD: 'word' },
  routes: (_, { config }) => [api({ id: 'guestGet', summary: config.word ?? '', method: 'GET', path: '/hello', access: anyone, scope: null, meter: 'none', result: 'empty', success: 204, run: () => undefined })] });`;
    const cwd = t.testdir({
      'guest.ts': code,
      'other.ts': "export default { name: 'someone' };",
      'broken.ts': 'export default (',
      'hexforge.yaml': 'plugins: { guest: { path: ./guest.ts } }',
      'bad.yaml':
        'plugins: { guest: { path: ./other.ts }, worse: { path: ./broken.ts }, none: { package: no-such-package-of-ours } }',
    });
    const environment = {
      PORT: '0',
      HEXFORGE_DATABASE: 'memory',
      HEXFORGE_PLUGINS: nothingBut(),
      GUEST_WORD: 'from the environment',
    };
    const sinks = { stdout: { write: () => undefined }, stderr: { write: () => undefined } };
    const forge = await startForge(await loadConfiguration({ cwd, environment, file: 'hexforge.yaml' }), sinks);
    t.teardown(() => forge.stop());
    t.equal((await fetch(`${forge.url}/api/v1/x/guest/hello`)).status, 204);
    t.equal((await fetch(`${forge.url}/api/v1/hello`)).status, 404);
    t.match(JSON.stringify(await forge.openapi()), /from the environment/);
    const bad = await refusal(startForge(await loadConfiguration({ cwd, environment, file: 'bad.yaml' }), sinks));
    t.strictSame(
      bad.problems.map(({ code, plugin }) => [code, plugin]),
      [
        ['not_a_plugin', 'guest'],
        ['plugin_syntax', 'worse'],
        ['plugin_not_found', 'none'],
      ],
    );
  },
);
