// Tests the configurations of proxies in docs/operating.md with the proxies themselves, from PATH or from the folder
// HEXFORGE_TEST_PROXIES. Missing packages of the system are installed. Traefik has no package, and no test if it is
// not found.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer, request as send, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { delimiter, join } from 'node:path';
import { randomBytes } from 'node:crypto';
import t, { type Test } from 'tap';
import { freePort } from '#host/server/address';
import { followed } from '#test/support/clients/live-client';
import { temporaryFolder } from '#test/support/folder';
import { startTestForge } from '#test/support/forge';
import { remote, stockGit, workTree } from '#test/support/servers/stock-git';
import { install } from '../../tools/peers/machine.ts';
import { expect, workshop } from '#test/spec/merges/workshop';

const page = readFileSync(join(import.meta.dirname, '../../docs/operating.md'), 'utf8');
/** The examples of a language, in the order of the page. */
const examples = (language: string): readonly string[] =>
  [...page.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'))].map(([, text = '']) => text);

interface Setting {
  readonly folder: string;
  readonly port: number;
  /** The host and port of the server behind. */
  readonly behind: string;
}

interface Proxy {
  /** The name of its package, if the system has one. */
  readonly package?: string;
  /** Writes the configuration. @returns the command line. */
  readonly configured: (setting: Setting) => Promise<readonly string[]>;
  /** The same below the path /code. */
  readonly belowPath: (setting: Setting) => Promise<readonly string[]>;
}

const replaced = (text: string, pairs: readonly (readonly [string | RegExp, string])[]): string =>
  pairs.reduce((sofar, [from, to]) => {
    const next = sofar.replace(from, to);
    if (next === sofar) throw new Error(`the example has no ${String(from)}`);
    return next;
  }, text);

const [nginxServer = '', nginxMap = '', nginxLocations = ''] = examples('nginx');
const [caddy = ''] = examples('caddyfile');
const [traefikStatic = '', traefikDynamic = ''] = examples('yaml');

async function nginx({ folder, port, behind }: Setting, example: string): Promise<readonly string[]> {
  const http = replaced(example, [
    ['127.0.0.1:3000', behind],
    ['listen 443 ssl', `listen 127.0.0.1:${port}`],
    [/ *ssl_certificate [^\n]*\n *ssl_certificate_key [^\n]*\n/, ''],
  ]);
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${folder}/${name};`)
    .join('\n');
  await writeFile(
    join(folder, 'nginx.conf'),
    `daemon off; master_process off; pid ${folder}/pid; error_log stderr error; events {}\nhttp {\naccess_log off;\n${temporary}\n${http}}\n`,
  );
  return ['nginx', '-e', 'stderr', '-p', folder, '-c', join(folder, 'nginx.conf')];
}

async function caddyfile({ folder, port, behind }: Setting, example: string): Promise<readonly string[]> {
  const text = replaced(example, [
    ['forge.example.org', `http://127.0.0.1:${port}`],
    [/127\.0\.0\.1:3000/g, behind],
  ]);
  await writeFile(join(folder, 'Caddyfile'), `{\n\tadmin off\n}\n${text}`);
  return ['caddy', 'run', '--adapter', 'caddyfile', '--config', join(folder, 'Caddyfile')];
}

async function traefik({ folder, port, behind }: Setting, example: string): Promise<readonly string[]> {
  const dynamic = replaced(example, [
    ['forge.example.org', '127.0.0.1'],
    [/ *tls: \{\}\n/, ''],
    ['127.0.0.1:3000', behind],
  ]);
  await writeFile(join(folder, 'hexforge.yaml'), dynamic);
  const fixed = replaced(traefikStatic, [
    ['":443"', `"127.0.0.1:${port}"`],
    ['/etc/traefik/hexforge.yaml', join(folder, 'hexforge.yaml')],
  ]);
  await writeFile(join(folder, 'traefik.yaml'), fixed);
  return ['traefik', `--configFile=${join(folder, 'traefik.yaml')}`];
}

const proxies: Readonly<Record<string, Proxy>> = {
  nginx: {
    package: 'nginx',
    configured: (setting) => nginx(setting, nginxServer),
    belowPath: (setting) => {
      const rest = /proxy_pass http:\/\/hexforge;\n([\s\S]*?) {2}\}/.exec(nginxServer)?.[1] ?? '';
      const locations = nginxLocations.replaceAll(/(proxy_pass [^\n]*\n)/g, `$1${rest}`);
      return nginx(setting, nginxMap + nginxServer.replace(/ {2}location \/ \{[\s\S]*?\n {2}\}\n/, locations));
    },
  },
  caddy: {
    package: 'caddy',
    configured: (setting) => caddyfile(setting, caddy),
    belowPath: (setting) => {
      const inner = /\{\n([\s\S]*)\}/.exec(caddy)?.[1] ?? '';
      const handles = ['handle_path /code/*', 'handle /.well-known/*/code*'].map((what) => `${what} {\n${inner}}\n`);
      return caddyfile(setting, caddy.replace(inner, handles.join('')));
    },
  },
  traefik: {
    configured: (setting) => traefik(setting, traefikDynamic),
    belowPath: (setting) =>
      traefik(
        setting,
        replaced(traefikDynamic, [
          [
            '      rule: Host(`forge.example.org`)\n',
            '      rule: Host(`forge.example.org`) && PathPrefix(`/code/`)\n      middlewares: [below]\n',
          ],
          [
            '  services:\n',
            '    meta:\n      entryPoints: [websecure]\n      rule: PathRegexp(`^/\\.well-known/[^/]+/code(/|$)`)\n      service: hexforge\n  middlewares:\n    below:\n      stripPrefix:\n        prefixes: [/code]\n  services:\n',
          ],
        ]),
      ),
  },
};

const folders = [process.env['HEXFORGE_TEST_PROXIES'], ...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin'];
const programOf = (name: string): string | undefined =>
  folders.map((folder) => join(folder ?? '', name)).find((path) => existsSync(path));

/** Starts the proxy, and waits until it listens. @returns its port. */
async function started(
  t: Test,
  program: string,
  behind: string,
  write: (setting: Setting) => Promise<readonly string[]>,
): Promise<number> {
  const port = await freePort('127.0.0.1');
  const folder = join(await temporaryFolder(t), 'proxy');
  await mkdir(folder, { recursive: true });
  const [, ...commandLine] = await write({ folder, port, behind });
  const child = spawn(program, commandLine, {
    cwd: folder,
    env: { PATH: process.env['PATH'], HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: Buffer) => void (output += String(text)));
  const exited = once(child, 'exit');
  t.teardown(async () => {
    child.kill('SIGKILL');
    await exited;
  });
  for (let tries = 0; tries < 300; tries += 1) {
    const socket = connect(port, '127.0.0.1');
    const open = await Promise.race([
      once(socket, 'connect').then(
        () => true,
        () => false,
      ),
      exited.then(() => false),
    ]);
    socket.destroy();
    if (open) return port;
    if (child.exitCode !== null) break;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`${program} does not listen: ${output}`);
}

/** A server behind a proxy that echoes requests, and reports the parts of their bodies as they arrive. */
async function echo(t: Test) {
  const sockets = new Set<Socket>();
  let heard: (text: string) => void = () => undefined;
  const server = createServer({ keepAliveTimeout: 75_000 }, (request: IncomingMessage, response: ServerResponse) => {
    request.setEncoding('utf8').on('data', (text: string) => heard(text));
    if (request.method === 'GET' && request.url === '/events') {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('data: one\n\n');
      return;
    }
    request.on('end', () => {
      response.end(JSON.stringify({ url: request.url, headers: request.headers }));
    });
  });
  server.on('connection', (socket) => void sockets.add(socket.once('close', () => sockets.delete(socket))));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return {
    behind: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    sockets,
    /** The next part of a request body. */
    hears: () => new Promise<string>((resolve) => (heard = resolve)),
  };
}

interface Echoed {
  readonly url: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
}

const paths = ['/a%20b%2Fc%25.txt', '/a%3Bb%23c%3Fd%5Ce', '/%C3%BC?q=a+b%20c', "/a;b,c@d:e!$&'()*+="];

for (const [name, { package: systemPackage, configured, belowPath }] of Object.entries(proxies)) {
  if (systemPackage !== undefined && programOf(name) === undefined) install(systemPackage);
  const program = programOf(name);
  if (program === undefined) {
    t.comment(`${name} is not installed`);
    continue;
  }
  const options = { timeout: 240_000 };

  void t.test(`${name}: bodies and answers stream, and paths stay encoded`, options, async (t) => {
    const { behind, hears, sockets } = await echo(t);
    const port = await started(t, program, behind, configured);
    const ask = async (path: string, headers: Readonly<Record<string, string>> = {}): Promise<Echoed> => {
      const answer = once(send({ host: '127.0.0.1', port, path, headers, agent: false }).end(), 'response');
      const [response] = (await answer) as [IncomingMessage];
      const text = Buffer.concat((await response.toArray()) as Uint8Array[]).toString();
      if (response.statusCode !== 200) throw new Error(`${path} answered ${response.statusCode}: ${text}`);
      return JSON.parse(text) as Echoed;
    };
    // Traefik listens before it has read its routes.
    for (let tries = 0; tries < 100; tries += 1) {
      if (
        await ask('/').then(
          () => true,
          () => false,
        )
      )
        break;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    for (const path of paths) t.equal((await ask(path)).url, path);
    const { headers } = await ask('/', { 'x-forwarded-for': '203.0.113.9' });
    t.match(headers['x-forwarded-for'], /(?:^|, )127\.0\.0\.1$/, 'the address of the client comes last');
    t.equal(headers['host'], `127.0.0.1:${port}`);
    t.equal((await ask('/', { 'x-long': 'x'.repeat(12_000) })).headers['x-long']?.length, 12_000);
    t.equal(sockets.size, 1, 'one connection serves all requests');

    const upload = send({ host: '127.0.0.1', port, path: '/push', method: 'POST', agent: false });
    const answered = once(upload, 'response');
    const first = hears();
    upload.write('one');
    t.equal(await first, 'one', 'the body arrives while it is sent');
    const second = hears();
    upload.write('two');
    t.equal(await second, 'two');
    upload.end('x'.repeat(8 * 1024 ** 2));
    const [{ statusCode }] = (await answered) as [IncomingMessage];
    t.equal(statusCode, 200, 'a large body');

    const stream = send({ host: '127.0.0.1', port, path: '/events', agent: false }).end();
    const [events] = (await once(stream, 'response')) as [IncomingMessage];
    t.equal(String((await once(events, 'data'))[0]), 'data: one\n\n', 'an event arrives before the stream ends');
    stream.destroy();
  });

  void t.test(`${name}: a forge below a path, with pushes, clones and live updates`, options, async (t) => {
    const base = (at: number): string => `http://127.0.0.1:${at}/code`;
    const forgePort = await freePort('127.0.0.1');
    const proxyPort = await started(t, program, `127.0.0.1:${forgePort}`, belowPath);
    const forge = await startTestForge(t, {
      environment: {
        PORT: String(forgePort),
        HEXFORGE_BASE_URL: base(proxyPort),
        HEXFORGE_TRUSTED_PROXIES: '127.0.0.1',
      },
    });
    const { alice, repository, open } = await workshop(t, forge);
    const code = await repository('code');
    const { number } = await open(code);
    const outside = (path: string, init?: RequestInit): Promise<Response> =>
      fetch(base(proxyPort) + path, { redirect: 'manual', ...init });
    for (let tries = 0; tries < 100 && (await outside('/healthz')).status !== 200; tries += 1)
      await new Promise((resolve) => setTimeout(resolve, 50));
    t.equal((await fetch(`${new URL(base(proxyPort)).origin}/.well-known/openid-configuration/code`)).status, 200);
    const moved = await outside(`${code}/pulls/1/files/a%20b%2Fc%25.txt`);
    t.equal(moved.headers.get('location'), `/code${code}/merges/1/files/a%20b%2Fc%25.txt`);
    const login = await outside('/api/v1/auth/login', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username: alice.username, password: alice.password }),
    });
    t.match(login.headers.getSetCookie(), [/; Path=\/code;/, /; Path=\/code\/api\/v1\/auth;/]);

    const live = await followed(base(proxyPort), `/ws/repos/alice/code/merges/${number}`);
    const git = await stockGit(t);
    const work = await workTree(git, 'work');
    const { token } = await forge.pat(alice.client, ['repo:write']);
    const url = remote(forge.url, 'code/alice/code', { username: 'alice', password: token }).replace(
      `:${forgePort}/`,
      `:${proxyPort}/`,
    );
    await work.git('fetch', '--quiet', url, 'topic');
    await work.git('checkout', '--quiet', '-b', 'topic', 'FETCH_HEAD');
    await work.commit('large', { large: randomBytes(6 * 1024 ** 2) });
    await work.git('push', '--quiet', url, 'topic');
    await git.git('clone', '--quiet', url, 'clone');
    t.equal(
      (await git.git('-C', 'clone', 'rev-parse', 'origin/topic')).trim(),
      (await work.git('rev-parse', 'HEAD')).trim(),
    );
    await live.until(1);
    await live.close();
    expect(await alice.client.get(`${code}/merges/${number}`), 200);
  });
}
