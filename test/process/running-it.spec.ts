// Tests of running the program: environment variables, output, health, and how it stops.
import { cpSync, existsSync, readdirSync, statSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import tap from 'tap';
import { layCluster } from '#test/support/servers/cluster';
import { Command, hexforge } from '#test/support/servers/command';
import { temporaryFolder } from '#test/support/folder';
import type { Teardown } from '#test/support/forge';
import { createDatabase, query } from '#test/support/servers/postgres';
import { nothingBut } from '#test/support/plugin-list';

const password = 'correct horse battery staple';

interface Running {
  readonly cwd: string;
  readonly url: string;
  readonly command: Command;
}

/** Starts `serve` on a free port and waits until it is ready: a first start in an empty folder, or in the given one. */
async function serve(t: Teardown, environment: Readonly<Record<string, string>> = {}, cwd?: string): Promise<Running> {
  const folder = cwd ?? (await temporaryFolder(t));
  const command = new Command(t, ['serve'], {
    cwd: folder,
    environment: { PORT: '0', HEXFORGE_ADMIN_PASSWORD: password, ...environment },
  });
  return { cwd: folder, url: await command.listening(), command };
}

/** The environment of tests that do not depend on the database: a forge in memory is ready at once. */
const inMemory = { HEXFORGE_DATABASE: 'memory' } as const;

let plain: Promise<Running> | undefined;

/** A server in memory with defaults, shared by all tests that only send requests. */
const unchanged = (): Promise<Running> => (plain ??= serve(tap, inMemory));

let onDisk: Promise<Running> | undefined;

/** Like `unchanged`, with the embedded database. */
const embeddedServer = (): Promise<Running> => (onDisk ??= started(tap).then((cwd) => serve(tap, {}, cwd)));

let first: Promise<string> | undefined;

/** A folder after a first start, made once, because creating a database takes seconds. */
async function started(t: Teardown): Promise<string> {
  first ??= (async () => {
    const cwd = await temporaryFolder(tap);
    await layCluster(join(cwd, 'data'));
    const command = new Command(tap, ['serve'], { cwd, environment: { PORT: '0', HEXFORGE_ADMIN_PASSWORD: password } });
    await command.listening();
    command.signal('SIGTERM');
    await command.ended();
    return cwd;
  })();
  const folder = await temporaryFolder(t);
  cpSync(join(await first, 'data'), join(folder, 'data'), { recursive: true });
  return folder;
}

async function stop({ command }: Running): ReturnType<Command['ended']> {
  command.signal('SIGTERM');
  return command.ended();
}

const json = async (url: string, init?: RequestInit): Promise<{ status: number; headers: Headers; body: unknown }> => {
  const response = await fetch(url, init);
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    body: text === '' ? undefined : (JSON.parse(text) as unknown),
  };
};

const signIn = (url: string, username: string, secret: string): ReturnType<typeof json> =>
  json(`${url}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username, password: secret }),
  });

/** The effective configuration printed by the program: `key  value  # source`. */
async function configuration(
  t: Teardown,
  cwd: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<Map<string, { value: string; source: string }>> {
  const { code, stdout, stderr } = await hexforge(t, ['config'], { cwd, environment });
  if (code !== 0) throw new Error(`config ended with ${code}: ${stderr}`);
  return new Map(
    stdout
      .trimEnd()
      .split('\n')
      .map((line) => {
        const [, key = '', value = '', source = ''] = /^(\S+)\s+(.*?)\s+# (.*)$/.exec(line) ?? [];
        return [key, { value, source }];
      }),
  );
}

void tap.test('PORT and HOST set where the API listens; default 3000 on 127.0.0.1', async (t) => {
  const cwd = await temporaryFolder(t);
  const defaults = await configuration(t, cwd);
  t.equal(defaults.get('port')?.value, '3000');
  t.equal(defaults.get('host')?.value, '127.0.0.1');
  const running = await serve(t, { ...inMemory, HOST: '127.0.0.2' });
  t.match(running.url, /^http:\/\/127\.0\.0\.2:\d+$/);
  t.equal((await json(`${running.url}/healthz`)).status, 200);
  const { port } = new URL(running.url);
  const second = await hexforge(t, ['serve'], { cwd, environment: { ...inMemory, HOST: '127.0.0.2', PORT: port } });
  t.equal(second.code, 78, 'a port in use is rejected');
  t.match(second.stderr, new RegExp(port));
});

void tap.test('HEXFORGE_BASE_URL and HEXFORGE_WEB_URL are the external URLs; default http://HOST:PORT', async (t) => {
  const plain = await unchanged();
  const own = (await json(`${plain.url}/api/v1/openapi.json`)).body as { servers: { url: string }[] };
  t.ok(own.servers[0]?.url.startsWith(plain.url), `${own.servers[0]?.url} is the address it listens on`);
  const proxied = await serve(t, {
    ...inMemory,
    HEXFORGE_BASE_URL: 'https://forge.example.com/',
    HEXFORGE_WEB_URL: 'https://www.example.com',
  });
  const named = (await json(`${proxied.url}/api/v1/openapi.json`)).body as { servers: { url: string }[] };
  t.ok(
    named.servers[0]?.url.startsWith('https://forge.example.com'),
    `${named.servers[0]?.url} is the external address`,
  );
  const shown = await configuration(t, proxied.cwd, {
    HEXFORGE_BASE_URL: 'https://forge.example.com',
    HEXFORGE_WEB_URL: 'https://www.example.com',
  });
  t.equal(shown.get('web_url')?.value, 'https://www.example.com');
});

void tap.test('HEXFORGE_DATA_DIR is the only folder written to; default ./data', async (t) => {
  const { cwd, command } = await unchanged();
  t.strictSame(
    command.lines.slice(0, -1),
    ['administrator: admin'],
    'the first start prints the name of the administrator',
  );
  t.strictSame(readdirSync(cwd), ['data'], 'no other file is written');
  t.equal(statSync(join(cwd, 'data')).mode & 0o777, 0o700);
  const elsewhere = await serve(t, { ...inMemory, HEXFORGE_DATA_DIR: 'some/where' });
  t.ok(existsSync(join(elsewhere.cwd, 'some/where')));
  t.notOk(existsSync(join(elsewhere.cwd, 'data')));
});

void tap.test(
  'DATABASE_URL selects a PostgreSQL; without it the embedded database in the data directory is used',
  async (t) => {
    const embedded = await embeddedServer();
    t.ok(
      readdirSync(join(embedded.cwd, 'data'), { recursive: true }).some((path) => String(path).endsWith('PG_VERSION')),
      'the data directory has an embedded cluster',
    );
    const refused = await hexforge(t, ['serve'], {
      cwd: await temporaryFolder(t),
      environment: { PORT: '0', DATABASE_URL: 'postgres://nobody:secret-word@127.0.0.1:1/none' },
    });
    t.equal(refused.code, 78, 'an unreachable one is rejected');
    t.match(refused.stderr, /127\.0\.0\.1:1\b/, 'with its address');
    t.notMatch(refused.stderr + refused.stdout, /secret-word/, 'without its password');
    if (process.env['HEXFORGE_TEST_DATABASE'] !== 'postgresql') return;
    const database = await createDatabase();
    t.teardown(() => database.drop());
    const { cwd } = await serve(t, { DATABASE_URL: database.url });
    t.notOk(
      readdirSync(join(cwd, 'data'), { recursive: true }).some((path) => String(path).endsWith('PG_VERSION')),
      'no embedded cluster exists',
    );
    t.match(await query(database.url, 'select username from identity_user'), [{ username: 'admin' }]);
  },
);

void tap.test(
  'the first start creates the super-admin of HEXFORGE_ADMIN_USERNAME and HEXFORGE_ADMIN_PASSWORD',
  async (t) => {
    const { url, command } = await serve(t, { ...inMemory, HEXFORGE_ADMIN_USERNAME: 'ruth' });
    const answer = await signIn(url, 'ruth', password);
    t.equal(answer.status, 200);
    t.match(answer.body, { user: { username: 'ruth', is_admin: true } });
    t.notMatch(command.stdout + command.stderr, new RegExp(password), 'a given password is not printed');
  },
);

void tap.test('without HEXFORGE_ADMIN_PASSWORD a password is generated and printed once', async (t) => {
  const first = await serve(t, { HEXFORGE_ADMIN_PASSWORD: '' });
  const [name, line = '', ...rest] = first.command.lines;
  t.equal(name, 'administrator: admin');
  const generated = /^password: (\S+)$/.exec(line)?.[1] ?? '';
  t.strictSame(rest, [`listening on ${first.url}`], 'the only other line');
  t.ok(generated.length >= 16, 'long enough not to be guessed');
  t.equal((await signIn(first.url, 'admin', generated)).status, 200);
  t.notMatch(first.command.stderr, new RegExp(RegExp.escape(generated)), 'it is in no log');
  t.equal(await stop(first), 0);
  const second = await serve(t, { HEXFORGE_ADMIN_PASSWORD: '' }, first.cwd);
  t.strictSame(second.command.lines, [`listening on ${second.url}`]);
  t.equal((await signIn(second.url, 'admin', generated)).status, 200);
});

void tap.test('HEXFORGE_CONFIG is a YAML file; environment overrides file, file overrides defaults', async (t) => {
  const cwd = await temporaryFolder(t);
  await writeFile(join(cwd, 'mine.yaml'), 'port: 4001\nlog_level: error\n');
  const shown = await configuration(t, cwd, { HEXFORGE_CONFIG: 'mine.yaml', PORT: '4002' });
  t.strictSame(shown.get('port'), { value: '4002', source: 'environment PORT' });
  t.equal(shown.get('log_level')?.value, 'error');
  t.match(shown.get('log_level')?.source, /^file .*mine\.yaml$/);
  t.strictSame(shown.get('host'), { value: '127.0.0.1', source: 'default' });
});

void tap.test('config/hexforge.yaml is read if it exists', async (t) => {
  const cwd = await temporaryFolder(t);
  await mkdir(join(cwd, 'config'));
  await writeFile(join(cwd, 'config/hexforge.yaml'), 'port: 4003\n');
  t.equal((await configuration(t, cwd)).get('port')?.value, '4003');
  const missing = await hexforge(t, ['serve'], { cwd, environment: { HEXFORGE_CONFIG: 'absent.yaml' } });
  t.equal(missing.code, 78, 'a requested file must exist');
  t.match(missing.stderr, /absent\.yaml/);
});

void tap.test('HEXFORGE_PLUGINS enables with + and disables with -; routes of a disabled plugin are 404', async (t) => {
  const all = await unchanged();
  t.equal((await json(`${all.url}/api/v1/repos`)).status, 200);
  const { url } = await serve(t, {
    ...inMemory,
    HEXFORGE_PLUGINS: nothingBut('identity', 'audit', 'limits', 'settings', 'administration', 'oauth-server'),
  });
  t.equal((await json(`${url}/api/v1/repos`)).status, 404);
  t.equal((await signIn(url, 'admin', password)).status, 200, 'accounts work');
  const shown = await configuration(t, all.cwd, { HEXFORGE_PLUGINS: '-limits,+limits' });
  t.equal(shown.get('plugins.limits.enabled')?.value, 'true');
});

void tap.test('HEXFORGE_RATE_LIMIT=off turns metering off; default on', async (t) => {
  const on = await unchanged();
  const metered = await json(`${on.url}/api/v1/repos`);
  t.equal(metered.headers.get('x-ratelimit-limit'), '300', 'the budget of an anonymous reader');
  t.equal(metered.headers.get('x-ratelimit-resource'), 'api.read');
  const off = await serve(t, { ...inMemory, HEXFORGE_RATE_LIMIT: 'off' });
  t.equal((await json(`${off.url}/api/v1/repos`)).headers.get('x-ratelimit-limit'), null);
});

void tap.test('HEXFORGE_TRUSTED_PROXIES: X-Forwarded-For is used only from these addresses', async (t) => {
  const remaining = async (url: string, client: string): Promise<string | null> =>
    (await json(`${url}/api/v1/repos`, { headers: { 'x-forwarded-for': client } })).headers.get(
      'x-ratelimit-remaining',
    );
  const trusting = await serve(t, { ...inMemory, HEXFORGE_TRUSTED_PROXIES: '127.0.0.0/8' });
  const first = await remaining(trusting.url, '192.0.2.1');
  t.equal(await remaining(trusting.url, '192.0.2.2'), first, 'two clients have separate budgets');
  const wary = await unchanged();
  const before = Number(await remaining(wary.url, '192.0.2.1'));
  t.equal(Number(await remaining(wary.url, '192.0.2.2')), before - 1, 'by default both are the connected client');
});

void tap.test(
  'HEXFORGE_SECRET_KEY seals secrets; without it a key file in the data directory does (0600)',
  async (t) => {
    const isKey = (path: string): boolean => /key/.test(path);
    const own = await unchanged();
    const [keyFile = ''] = readdirSync(join(own.cwd, 'data')).filter(isKey);
    t.equal(statSync(join(own.cwd, 'data', keyFile)).mode & 0o777, 0o600);
    const given = await serve(t, { ...inMemory, HEXFORGE_SECRET_KEY: Buffer.alloc(32, 7).toString('base64') });
    t.strictSame(readdirSync(join(given.cwd, 'data')).filter(isKey), []);
    const short = await hexforge(t, ['serve'], {
      cwd: given.cwd,
      environment: { PORT: '0', HEXFORGE_SECRET_KEY: 'c2hvcnQ=' },
    });
    t.equal(short.code, 78);
    t.match(short.stderr, /HEXFORGE_SECRET_KEY/);
    t.notMatch(short.stderr, /c2hvcnQ=/);
  },
);

void tap.test(
  'GET /healthz returns 200 and GET /readyz 200 with degraded parts, both without a credential',
  async (t) => {
    const { url } = await embeddedServer();
    t.equal((await json(`${url}/healthz`)).status, 200);
    const ready = await json(`${url}/readyz`);
    t.equal(ready.status, 200);
    t.match(ready.body, { degraded: [] });
  },
);

void tap.test(
  'standard output has only plain lines, with exactly one `listening on URL`; logs go to standard error as JSON lines',
  async (t) => {
    const running = await serve(t, { HEXFORGE_LOG_LEVEL: 'info' }, await started(t));
    await json(`${running.url}/api/v1/repos`);
    t.equal(await stop(running), 0);
    t.strictSame(running.command.lines, [`listening on ${running.url}`]);
    const logs = running.command.stderr.trimEnd().split('\n');
    t.ok(logs.length >= 1, 'there is a log');
    for (const line of logs)
      t.match(JSON.parse(line), { level: Number, time: /^\d{4}-\d\d-\d\dT[\d:.]+Z$/, msg: String });
    t.ok(
      logs.some((line) => line.includes('/repos')),
      'it has the request',
    );
  },
);

void tap.test('SIGTERM stops gracefully: a request in flight is answered, then the process exits', async (t) => {
  const running = await serve(t, {}, await started(t));
  const { port, hostname } = new URL(running.url);
  const body = JSON.stringify({ username: 'admin', password });
  const socket = connect(Number(port), hostname);
  let answer = '';
  socket.on('data', (chunk: Buffer) => {
    answer += chunk.toString();
  });
  const closed = new Promise<void>((resolve) => {
    socket.once('close', () => resolve());
  });
  // Half of the body, so that the server is reading; the 100 Continue answer shows that it is.
  socket.write(
    `POST /api/v1/auth/login HTTP/1.1\r\nHost: ${hostname}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nExpect: 100-continue\r\n\r\n`,
  );
  await new Promise<void>((resolve) => {
    socket.once('data', () => resolve());
  });
  socket.write(body.slice(0, 10));
  running.command.signal('SIGTERM');
  await refusesNew(running.url);
  socket.write(body.slice(10));
  await closed;
  t.match(answer, /HTTP\/1\.1 200 OK/, 'answered');
  t.match(answer, /access_token/);
  t.equal(await running.command.ended(), 0);
});

/** Resolves when the server accepts no more connections. */
async function refusesNew(url: string): Promise<void> {
  for (;;) {
    const refused = await fetch(`${url}/healthz`, { headers: { connection: 'close' } }).then(
      () => false,
      () => true,
    );
    if (refused) return;
  }
}

void tap.test('the standard plugins are enabled by name, and `plugins` lists them', async (t) => {
  const { code, stdout } = await hexforge(t, ['plugins', '--json'], { cwd: await temporaryFolder(t) });
  t.equal(code, 0);
  const plugins = JSON.parse(stdout) as { name: string; enabled?: boolean; state?: string }[];
  for (const name of [
    'identity',
    'repositories',
    'git-native',
    'git-http',
    'planning',
    'issues',
    'oauth-server',
    'limits',
    'audit',
    'settings',
  ])
    t.ok(
      plugins.some((plugin) => plugin.name === name),
      `${name} is listed`,
    );
});

void tap.test('without the plugin audit, operations that must write an audit entry return 503 naming it', async (t) => {
  const cwd = await started(t);
  // A session is valid only for the base URL that issued it.
  const address = { HEXFORGE_BASE_URL: 'http://forge.example.com' };
  const whole = await serve(t, address, cwd);
  const { access_token: token } = (await signIn(whole.url, 'admin', password)).body as { access_token: string };
  t.equal(await stop(whole), 0);
  const { url } = await serve(t, { ...address, HEXFORGE_PLUGINS: '-audit' }, cwd);
  const answer = await json(`${url}/api/v1/user/tokens`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'x', scopes: ['repo:read'] }),
  });
  t.equal(answer.status, 503);
  t.match(answer.body, { error_code: 'unavailable' });
  t.match(JSON.stringify(answer.body), /audit/);
  t.equal(
    (await json(`${url}/api/v1/user`, { headers: { authorization: `Bearer ${token}` } })).status,
    200,
    'operations without an audit entry work',
  );
});

void tap.test('a start rejected because of a plugin has released the database when it ends', async (t) => {
  const cwd = await started(t);
  await writeFile(join(cwd, 'broken.js'), "throw new Error('no rope')");
  await writeFile(join(cwd, 'broken.yaml'), 'plugins:\n  broken: { path: ./broken.js }\n');
  const environment = { PORT: '0', HEXFORGE_CONFIG: 'broken.yaml' };
  const refused = await hexforge(t, ['serve'], { cwd, environment });
  t.equal(refused.code, 78);
  t.match(refused.stderr, /no rope/);
  t.notOk(existsSync(join(cwd, 'data/database.owner.json')));
  t.equal(await stop(await serve(t, {}, cwd)), 0);
});
