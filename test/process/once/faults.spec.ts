// Tests of whole servers with misbehaving plugins: the output for the operator, the exit code, and the routes of other
// plugins.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { freePort, ServerProcess } from '#test/support/servers/server-process';
import { nothingBut } from '#test/support/plugin-list';

const none = nothingBut();

/** Plugins as files of plain JavaScript: name → the members of its definition. */
interface Folder {
  readonly plugins: Readonly<Record<string, string>>;
  readonly yaml?: string;
}

function folderOf(t: Test, { plugins, yaml = '' }: Folder): string {
  return t.testdir({
    'hexforge.yaml': `${yaml}plugins:\n${Object.keys(plugins)
      .map((name) => `  ${name}:\n    path: ./${name}/plugin.js\n`)
      .join('')}`,
    data: {},
    ...Object.fromEntries(
      Object.entries(plugins).map(([name, members]) => [
        name,
        {
          'package.json': '{"type":"module"}',
          'plugin.js': `export default { name: '${name}', version: '1.0.0', api: '^0.2.0', ${members} };`,
        },
      ]),
    ),
  });
}

const environmentOf = (folder: string, database: 'memory' | 'sql') => ({
  HEXFORGE_CONFIG: join(folder, 'hexforge.yaml'),
  HEXFORGE_DATABASE: database,
  HEXFORGE_PLUGINS: none,
});

async function serverWith(t: Test, folder: string, database: 'memory' | 'sql' = 'memory'): Promise<ServerProcess> {
  const server = new ServerProcess({
    dataDir: join(folder, 'data'),
    port: await freePort(),
    databaseUrl: undefined,
    environment: environmentOf(folder, database),
  });
  t.teardown(async () => {
    server.signal('SIGKILL');
    await server.ended();
  });
  return server;
}

/** The output and exit code of `hexforge …`. */
async function hexforge(folder: string, args: readonly string[], database: 'memory' | 'sql' = 'memory') {
  const program = join(import.meta.dirname, '../../../bin/hexforge.js');
  const child = spawn(process.execPath, [program, ...args], {
    cwd: folder,
    env: { PATH: process.env['PATH'], HEXFORGE_DATA_DIR: join(folder, 'data'), ...environmentOf(folder, database) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const texts: string[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => texts.push(chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, text: texts.join('') };
}

const lineWith = (server: ServerProcess, part: string): Record<string, unknown> =>
  JSON.parse(server.log.split('\n').find((line) => line.includes(part)) ?? '{"msg":"no such line"}') as Record<
    string,
    unknown
  >;
const degraded = async (server: ServerProcess): Promise<unknown> =>
  ((await (await fetch(`${server.url}/readyz`)).json()) as { readonly degraded?: unknown }).degraded;

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await pause(20);
}

/** The loop timeout: longer than loading the program blocks the event loop on a busy machine. */
const loopSeconds = 4;

void t.test('a plugin in an endless loop is named by the watchdog, and the process exits with 70', async (t) => {
  const folder = folderOf(t, {
    yaml: `loop_timeout: ${loopSeconds}\n`,
    plugins: {
      good: '',
      looper: 'async start() { setTimeout(function ring() { for (;;); }, 300); }',
    },
  });
  const server = await serverWith(t, folder);
  await server.ready;
  t.equal(await server.ended(), 70);
  t.match(lineWith(server, 'stood still'), {
    level: 50,
    name: 'host',
    plugin: 'looper',
    seconds: loopSeconds,
    err: { stack: /at .*ring .*looper\/plugin\.js/ },
  });
});

void t.test('a plugin in an endless loop at its import is named too', async (t) => {
  const folder = folderOf(t, {
    yaml: `loop_timeout: ${loopSeconds}\n`,
    plugins: { looper: 'version: (() => { for (;;); })()' },
  });
  const server = await serverWith(t, folder);
  t.equal(await server.ended(), 70);
  t.match(lineWith(server, 'stood still'), { plugin: 'looper' });
});

void t.test('a server that was stopped for longer than loop_timeout continues', async (t) => {
  const folder = folderOf(t, { yaml: `loop_timeout: ${loopSeconds}\n`, plugins: { good: '' } });
  const server = await serverWith(t, folder);
  await server.ready;
  server.signal('SIGSTOP');
  await pause((loopSeconds + 1) * 1000);
  server.signal('SIGCONT');
  await pause(1_500);
  t.equal((await fetch(`${server.url}/readyz`)).status, 200);
  t.ok(server.running);
});

void t.test(
  'uncaught errors of an isolated plugin do not end the server, and its timers do not delay a stop',
  async (t) => {
    const folder = folderOf(t, {
      plugins: {
        good: '',
        stray: `onFailure: 'isolate', async start() {
          setInterval(() => undefined, 1000);
          setTimeout(() => { void Promise.reject(new Error('a rejection')); }, 200);
          setTimeout(() => { throw new Error('out of a timer'); }, 250);
        }`,
      },
    });
    const server = await serverWith(t, folder);
    await server.ready;
    await until(async () => JSON.stringify(await degraded(server)) === '["stray"]');
    t.match(lineWith(server, 'not caught'), { plugin: 'stray', err: { message: 'a rejection' } });
    t.match(
      (await hexforge(folder, ['plugins'])).text,
      /stray +1\.0\.0 +path \S+ +degraded: An error of it was not caught: /,
    );
    await pause(100);
    t.equal((await fetch(`${server.url}/readyz`)).status, 200);
    server.signal('SIGTERM');
    t.equal(await server.ended(), 0);
  },
);

void t.test(
  'an uncaught rejection of a plugin that is not isolated ends the process with 70 and its name',
  async (t) => {
    const folder = folderOf(t, {
      plugins: {
        stray: "async start() { setTimeout(() => { void Promise.reject(new Error('a rejection')); }, 200); }",
      },
    });
    const server = await serverWith(t, folder);
    await server.ready;
    t.equal(await server.ended(), 70);
    t.match(lineWith(server, 'uncaught exception'), { plugin: 'stray', err: { message: 'a rejection' } });
  },
);

void t.test('an isolated plugin whose migration fails is failed, and the forge runs', async (t) => {
  const migrations =
    "migrations: [{ name: '001', up: ['create table half_one (id integer)', 'create tabel half_two ()'] }]";
  const folder = folderOf(t, {
    plugins: { good: '', half: `tables: ['half_one'], onFailure: 'isolate', ${migrations}` },
  });
  const server = await serverWith(t, folder, 'sql');
  await server.ready;
  t.strictSame(await degraded(server), ['half']);
  t.match(
    (await hexforge(folder, ['plugins'], 'sql')).text,
    /half +1\.0\.0 +path \S+ +failed: The migration "001" of plugin "half" failed and was rolled back: /,
  );
  t.match(await hexforge(folder, ['plugins', 'replay', 'half'], 'sql'), { code: 1, text: /No such event is parked/ });
  server.signal('SIGTERM');
  t.equal(await server.ended(), 0);
  t.match(await hexforge(folder, ['plugins', 'parked'], 'sql'), {
    code: 0,
    text: /No server runs .*: opening the database\nno event is parked\n/,
  });
});
