// Secrets sent through every entry point are not found afterwards in the data directory, a database dump, or the logs.
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t, { type Test } from 'tap';
import { dump } from '#test/support/servers/dump';
import { temporaryFolder } from '#test/support/folder';
import { startTestForge, type TestForge } from '#test/support/forge';

const run = promisify(execFile);

const marker = (what: string): string => `Marker-${what}-7f3a9c51d2e8`;

/** Forms in which a secret may be stored: plain, and encoded as in headers. */
const forms = (secret: string): readonly string[] => [
  secret,
  Buffer.from(secret).toString('base64').replace(/=+$/, ''),
  Buffer.from(secret).toString('hex'),
  encodeURIComponent(secret),
];

/** Uses every entry point that takes a secret, with valid and invalid input, and returns all secrets that were used. */
async function drive(t: Pick<Test, 'equal' | 'rejects' | 'teardown'>, forge: TestForge): Promise<Map<string, string>> {
  const secrets = new Map<string, string>();
  const remember = (what: string, secret: string | null | undefined): string => {
    if (secret === null || secret === undefined || secret === '') throw new Error(`no ${what} to look for`);
    secrets.set(what, secret);
    return secret;
  };
  const password = remember('password', marker('password'));
  const user = await forge.createUser('marked', { password });
  remember('session token', (await forge.signIn('marked', password)).token);

  const login = await forge.anonymous.post('/api/v1/auth/login', { body: { username: 'marked', password } });
  const cookies = login.headers.getSetCookie().map((cookie) => cookie.split(';')[0] ?? '');
  for (const cookie of cookies) remember(`cookie ${cookie.split('=')[0]}`, cookie.slice(cookie.indexOf('=') + 1));
  const refreshed = await forge.anonymous.post('/api/v1/auth/refresh', { headers: { cookie: cookies.join('; ') } });
  for (const cookie of refreshed.headers.getSetCookie())
    remember(`refreshed cookie ${cookie.split('=')[0]}`, cookie.split(';')[0]?.slice(cookie.indexOf('=') + 1));

  const wrong = remember('wrong password', marker('wrong-password'));
  t.equal(
    (await forge.anonymous.post('/api/v1/auth/login', { body: { username: 'marked', password: wrong } })).status,
    401,
  );
  t.equal(
    (
      await forge.anonymous.post('/api/v1/auth/login', {
        body: { username: remember('password typed as a name', `${marker('mistyped')} & more`), password: 'x' },
      })
    ).status,
    401,
  );
  t.equal((await forge.as(remember('unknown bearer', `svc_${marker('bearer')}`)).get('/api/v1/repos')).status, 401);
  t.equal(
    (
      await forge.anonymous.get('/api/v1/repos', {
        headers: { cookie: `svc_access_token=${remember('unknown cookie', marker('cookie'))}` },
      })
    ).status,
    200,
  );
  await forge.anonymous.post('/api/v1/auth/login', {
    raw: `{"username":"marked","password":"${remember('password in broken JSON', marker('broken'))}"`,
    headers: { 'content-type': 'application/json' },
  });
  await forge.anonymous.post('/api/v1/auth/login', {
    body: { username: 'marked', password, [remember('secret as a field name', marker('field'))]: 1 },
  });
  await forge.anonymous.get(`/api/v1/repos?access_token=${remember('secret in a query', marker('query'))}`);
  await forge.anonymous.get(`/api/v1/nothing/${remember('secret in a path', marker('path'))}`);

  const next = remember('changed password', marker('changed'));
  t.equal(
    (await user.client.post('/api/v1/user/password', { body: { current_password: password, new_password: next } }))
      .status,
    204,
  );
  const session = await forge.signIn('marked', next);
  const administrator = await forge.administrator();
  const set = remember('password set by an administrator', marker('set'));
  t.equal(
    (await administrator.post(`/api/v1/admin/users/${user.id}/password`, { body: { password: set } })).status,
    204,
  );
  const again = await forge.signIn('marked', set);
  remember('session before the change', session.token);

  const pat = await forge.pat(again, ['repo:admin']);
  remember('personal access token', pat.token);
  t.equal((await pat.post('/api/v1/repos', { body: { name: 'marked' } })).status, 201);

  const folder = await temporaryFolder(t);
  const git = (...commandLine: string[]): Promise<unknown> =>
    run('git', commandLine, {
      cwd: folder,
      env: { PATH: process.env['PATH'], HOME: folder, GIT_TERMINAL_PROMPT: '0', GIT_CONFIG_NOSYSTEM: '1' },
    });
  const remote = (secret: string): string =>
    `http://marked:${encodeURIComponent(secret)}@${new URL(forge.url).host}/marked/marked.git`;
  await git('init', '-q', '-b', 'main');
  await git('-c', 'user.name=M', '-c', 'user.email=m@example.com', 'commit', '-q', '--allow-empty', '-m', 'first');
  await git('push', '-q', remote(pat.token), 'main');
  await git('fetch', '-q', remote(set), 'main');
  await t.rejects(git('push', '-q', remote(remember('wrong password of git', marker('git'))), 'main'));
  return secrets;
}

void t.test('marker passwords, tokens and cookies are found nowhere, and stored files are private', async (t) => {
  const forge = await startTestForge(t, { environment: { HEXFORGE_LOG_LEVEL: 'debug' } });
  const secrets = await drive(t, forge);
  t.ok(secrets.size >= 15, `secrets used: ${secrets.size}`);
  await forge.stop();

  const paths = readdirSync(forge.dataDir, { recursive: true }).map((path) => join(forge.dataDir, String(path)));
  t.ok(paths.length >= 5, 'the data directory is not empty');
  const texts = new Map(
    paths
      .filter((path) => statSync(path).isFile())
      .map((path) => [path.slice(forge.dataDir.length + 1), readFileSync(path).toString('latin1')]),
  );
  // The database is dumped after its files were read, because opening it writes to them.
  const rows = await dump(forge);
  texts.set('the dump', rows).set('standard output', forge.output.stdout).set('the log', forge.output.stderr);

  // First check that the search finds what must be there.
  t.match(rows, /marked@example\.com/, 'the dump has the user');
  t.match(forge.output.stderr, /\/api\/v1\/auth\/login/, 'the log has the requests');

  for (const [what, secret] of secrets) {
    const places = [...texts]
      .filter(([, text]) => forms(secret).some((form) => text.includes(form)))
      .map(([place]) => place);
    t.strictSame(places, [], `${what} is found nowhere`);
  }
  for (const path of [forge.dataDir, ...paths]) {
    const { mode } = statSync(path);
    const wanted = statSync(path).isDirectory() ? 0o700 : 0o600;
    if ((mode & 0o777 & ~wanted) !== 0 && !(statSync(path).isFile() && (mode & 0o777) === 0o700))
      t.fail(`${path} has mode ${(mode & 0o777).toString(8)}`);
  }
});
