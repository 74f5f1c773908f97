// Secrets sent through every entry point are not found afterwards in the data directory, a database dump, or the logs.
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t, { type Test } from 'tap';
import { dump } from '#test/support/servers/dump';
import { Visitor } from '#test/support/clients/visitor';
import { client, startOpenidProvider } from '#test/support/servers/openid-provider';
import { identityProviderKeys, postSaml, samlAnswer } from '#test/support/servers/saml-identity-provider';
import { idpMetadata } from '#test/support/servers/saml-oracle';
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

/** Stops the forge, and searches its files, a dump of its database and its logs for the secrets. */
async function foundNowhere(
  t: Pick<Test, 'ok' | 'match' | 'strictSame' | 'fail'>,
  forge: TestForge,
  secrets: ReadonlyMap<string, string>,
  known: { readonly row: RegExp; readonly request: RegExp },
): Promise<void> {
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
  t.match(rows, known.row, 'the dump has the user');
  t.match(forge.output.stderr, known.request, 'the log has the requests');

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
}

void t.test('marker passwords, tokens and cookies are found nowhere, and stored files are private', async (t) => {
  const forge = await startTestForge(t, { environment: { HEXFORGE_LOG_LEVEL: 'debug' } });
  const secrets = await drive(t, forge);
  t.ok(secrets.size >= 15, `secrets used: ${secrets.size}`);
  await foundNowhere(t, forge, secrets, { row: /marked@example\.com/, request: /\/api\/v1\/auth\/login/ });
});

const bindPassword = marker('bind-password');

/** Signs in through an OpenID provider and a SAML identity provider, and tries to through LDAP, which is down. */
async function driveProviders(t: Pick<Test, 'equal' | 'teardown'>, forge: TestForge): Promise<Map<string, string>> {
  const secrets = new Map<string, string>();
  const provider = await startOpenidProvider();
  t.teardown(() => provider.stop());
  const issuer = provider.issuer();
  const root = await forge.administrator();
  const keys = await identityProviderKeys('Test');
  for (const [key, value] of Object.entries({
    'oauth.oidc.client_id': client.id,
    'oauth.oidc.client_secret': client.secret,
    'oauth.oidc.issuer': issuer.issuer,
    'oauth.oidc.enabled': 'true',
    'saml.idp_metadata': idpMetadata({ keys: [['signing', keys.certificate]] }),
    'saml.enabled': 'true',
  }))
    t.equal((await root.put(`/api/v1/admin/settings/${key}`, { body: { value } })).status, 200, key);
  secrets.set('client secret', client.secret).set('bind password', bindPassword);

  const cookiesOf = (visitor: Visitor, which: string): void => {
    for (const name of ['svc_sign_in', 'svc_access_token', 'svc_refresh_token', 'svc_page_session']) {
      const value = visitor.cookie(forge.url, name);
      if (value !== undefined) secrets.set(`cookie ${name} of ${which}`, value);
    }
  };
  for (const outcome of ['accepted', 'refused'] as const) {
    const visitor = new Visitor();
    const started = await visitor.get(`${forge.url}/api/v1/auth/oauth/oidc/start`);
    const { code, state, iss } = issuer.approve(started.headers.get('location') ?? '');
    cookiesOf(visitor, `an OpenID sign-in that is ${outcome}`);
    const sent = outcome === 'accepted' ? code : marker('injected-code');
    const query = new URLSearchParams({ code: sent, state, iss }).toString();
    const answer = await visitor.get(`${forge.url}/api/v1/auth/oauth/oidc/callback?${query}`);
    t.equal(answer.status, outcome === 'accepted' ? 303 : 403, outcome);
    cookiesOf(visitor, `an OpenID session that is ${outcome}`);
    secrets.set(`code that is ${outcome}`, sent).set(`state that is ${outcome}`, state);
    secrets.set(`access token that is ${outcome}`, `access-${sent}`);
  }

  const visitor = new Visitor();
  const started = await visitor.get(`${forge.url}/api/v1/auth/saml/start`);
  const form = samlAnswer(forge.url, started.headers.get('location') ?? '', 'eve', keys);
  const left = await postSaml(forge.url, form, { accept: 'text/html' });
  const { searchParams } = new URL(left.headers.get('location') ?? '', forge.url);
  cookiesOf(visitor, 'a SAML sign-in');
  t.equal((await visitor.get(`${forge.url}/saml/acs?${searchParams.toString()}`)).status, 303);
  secrets.set('SAML response', form.SAMLResponse.slice(-60)).set('RelayState', form.RelayState);
  const [, signature = ''] = /SignatureValue>([^<]{40})/.exec(atob(form.SAMLResponse)) ?? [];
  secrets.set('assertion', signature).set('ticket', searchParams.get('ticket') ?? '');
  cookiesOf(visitor, 'a SAML session');

  const password = marker('directory-password');
  const body = { username: 'somebody', password };
  t.equal((await forge.anonymous.post('/api/v1/auth/login', { body })).status, 503, 'the directory is down');
  t.equal((await root.post('/api/v1/user/identities/ldap', { body })).status, 503);
  secrets.set('directory password', password);
  return secrets;
}

void t.test('secrets of sign-in through others are found nowhere', async (t) => {
  const forge = await startTestForge(t, {
    environment: {
      HEXFORGE_LOG_LEVEL: 'debug',
      HEXFORGE_PLUGINS: '+ldap,+saml',
      LDAP_URL: 'ldap://127.0.0.1:1',
      LDAP_BASE_DN: 'dc=example,dc=org',
      LDAP_BIND_DN: 'cn=reader,dc=example,dc=org',
      LDAP_BIND_PASSWORD: bindPassword,
    },
  });
  const secrets = await driveProviders(t, forge);
  t.ok(secrets.size >= 20, `secrets used: ${secrets.size}`);
  for (const [what, secret] of secrets) t.ok(secret.length >= 10, what);
  await foundNowhere(t, forge, secrets, { row: /ada@example\.com/, request: /\/auth\/oauth\/\{provider\}\/callback/ });
});
