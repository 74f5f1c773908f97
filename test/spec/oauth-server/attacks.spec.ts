// Tests of known attacks on tokens, scopes and OAuth2, numbered 1 to 19. Attacks on other parts are listed with the
// spec that tests them.
import { createHmac } from 'node:crypto';
import t from 'tap';
import type { Answer, Client } from '#test/support/clients/client';
import { startTestForge, type TestForge } from '#test/support/forge';
import { sharedForge } from '#test/support/shared-forge';
import {
  askConsent,
  approve,
  codeFor,
  decide,
  encoded,
  exchange,
  introspect,
  makeApp,
  paths,
  pkce,
  postForm,
  proof,
  refresh,
  requestOf,
  setSetting,
  tokensFor,
  works,
  type App,
  type Tokens,
} from './flow.ts';

const status = async (answer: Promise<Answer>): Promise<number> => (await answer).status;
const errorOf = (answer: Answer): unknown => (answer.body as { error?: unknown } | undefined)?.error;
const basicOf = (password: string) => ({
  headers: { authorization: `Basic ${Buffer.from(`x:${password}`).toString('base64')}` },
});
const refsOf = (service: string): string => `/visitor/mine.git/info/refs?service=${service}`;

async function world(t: Parameters<typeof sharedForge>[0]) {
  const forge = await sharedForge(t);
  const visitor = await forge.createUser('visitor');
  await visitor.client.post('/api/v1/repos', { body: { name: 'mine', visibility: 'private' } });
  const app = await makeApp(visitor.client);
  return { forge, visitor, user: visitor.client, app };
}

void t.test('1. a token without the repository scope is refused on git, as Bearer and as Basic password', async (t) => {
  const { forge, user, app } = await world(t);
  const pat = await forge.pat(user, ['issue:read']);
  const { access_token: token } = await tokensFor(forge, user, app, { scope: 'read:user' });
  for (const secret of [pat.token, token])
    for (const service of ['git-upload-pack', 'git-receive-pack']) {
      t.equal(await status(forge.as(secret).get(refsOf(service))), 403, `Bearer, ${service}`);
      t.equal(await status(forge.anonymous.get(refsOf(service), basicOf(secret))), 403, `Basic, ${service}`);
    }
});

void t.test('2. an OAuth2 token as the Basic password is not accepted on REST', async (t) => {
  const { forge, user, app } = await world(t);
  const { access_token: token } = await tokensFor(forge, user, app, { scope: 'read:user' });
  for (const path of ['/api/v1/auth/me', '/api/v1/repos/visitor/mine', '/api/v1/repos'])
    t.equal(await status(forge.anonymous.get(path, basicOf(token))), 401, path);
});

void t.test('3. every operation with a scope refuses a token without it', async (t) => {
  const { forge, app } = await world(t);
  const admin = await forge.administrator();
  const { access_token: narrow } = await tokensFor(forge, admin, app, { scope: 'email' });
  const client = forge.as(narrow);
  const scoped = forge.contract.operations.filter(({ entry }) => entry['x-scope'] !== undefined);
  t.ok(scoped.length > 50, `operations with a scope: ${scoped.length}`);
  for (const { id, method, path, entry } of scoped) {
    const { oauth } = entry['x-scope'] as { oauth?: string };
    if (oauth === 'email' || oauth === '*') continue;
    const url = path.replaceAll(/\{\w+\}/g, '00000000-0000-4000-8000-0000000000ff');
    t.equal(await status(client.request(method, url)), 403, id);
  }
});

void t.test('4. a restricted token cannot use self-service routes or create a token with more scopes', async (t) => {
  const { forge, user, app } = await world(t);
  const pat = await forge.pat(user, ['repo:read']);
  const { access_token: token } = await tokensFor(forge, user, app, { scope: 'read:user' });
  const asked = requestOf(app, pkce());
  for (const client of [pat, forge.as(token)] as readonly Client[]) {
    const attempts = {
      'a token': client.post('/api/v1/user/tokens', { body: { name: 'wide', scopes: ['repo:admin'] } }),
      'an application': client.post(paths.apps, { body: { name: 'x', redirect_uris: ['https://x.example/'] } }),
      'a secret': client.post(`${paths.apps}/${app.id}/rotate-secret`),
      consent: decide(client, asked),
      'the profile': client.patch('/api/v1/user', { body: { email: 'evil@example.com' } }),
      'the password': client.post('/api/v1/user/password', { body: { current_password: 'x', new_password: 'y' } }),
      'the grants': client.get(paths.grants),
    };
    for (const [what, answer] of Object.entries(attempts)) t.equal(await status(answer), 403, what);
  }
});

void t.test('5. a code: a second use, an expired one, and two concurrent exchanges', async (t) => {
  const { forge, user, app } = await world(t);
  const { code, keys } = await codeFor(user, app);
  const answers = await Promise.all([exchange(forge, app, code, keys), exchange(forge, app, code, keys)]);
  t.strictSame(answers.map(({ status: got }) => got).sort(), [200, 400], 'exactly one');
  t.equal(await status(exchange(forge, app, code, keys)), 400);
  // The expiry after ten minutes is tested with a movable clock in test/core/oauth.
});

void t.test('6. a code is bound to client, redirect URI and PKCE', async (t) => {
  const { forge, user, app } = await world(t);
  const other = await makeApp(user);
  const { code, keys } = await codeFor(user, app);
  t.equal(errorOf(await exchange(forge, other, code, keys)), 'invalid_grant');
  t.equal(errorOf(await exchange(forge, app, code, keys, { redirect_uri: `${app.redirectUri}/` })), 'invalid_grant');
  t.equal(errorOf(await exchange(forge, app, code, pkce())), 'invalid_grant');
  t.equal(await status(exchange(forge, app, code, keys)), 200);
});

void t.test('7. rotation: a replay ends the family, also if two valid refreshes race', async (t) => {
  const { forge, user, app } = await world(t);
  const first = await tokensFor(forge, user, app);
  const answers = await Promise.all([1, 2].map(() => refresh(forge, app, first.refresh_token)));
  t.strictSame(answers.map(({ status: got }) => got).sort(), [200, 400]);
  const won = answers.find(({ status: got }) => got === 200)?.body as Tokens;
  t.equal(await status(refresh(forge, app, won.refresh_token)), 400, 'for the attacker and the owner');
  t.notOk(await works(forge, won.access_token));
});

void t.test('8. PKCE: no verifier, plain, wrong lengths, an empty challenge', async (t) => {
  const { forge, user, app } = await world(t);
  const { code, keys } = await codeFor(user, app);
  t.equal(errorOf(await exchange(forge, app, code, { verifier: '' })), 'invalid_request');
  for (const verifier of [keys.challenge, 'short', 'x'.repeat(129), `${keys.verifier}=`])
    t.equal(errorOf(await exchange(forge, app, code, { verifier })), 'invalid_grant', verifier.slice(0, 8));
  for (const over of [
    { code_challenge: '' },
    { code_challenge_method: 'plain' },
    { code_challenge_method: '' },
    { code_challenge: keys.challenge.slice(1) },
    { code_challenge: `${keys.challenge}=` },
  ])
    t.equal(await status(askConsent(user, requestOf(app, keys, over))), 400, JSON.stringify(over));
});

const registered = 'https://good.example/cb';
/** URIs that are similar to the registered one, but not equal to it. */
const near = [
  'https://good.example/cb/',
  'https://good.example/cb?x=1',
  'https://good.example/cb#f',
  'https://good.example/CB',
  'https://GOOD.example/cb',
  'https://good.example/c',
  'https://good.example/cb/../evil',
  'https://good.example/cb%2e',
  'https://good.example/%63b',
  'https://good.example/cb%2f',
  'https://good.example./cb',
  'https://good.example@evil.example/cb',
  'https://user@good.example/cb',
  'https://evil.example/https://good.example/cb',
  'https://good.example.evil.example/cb',
  'https://good.example\\@evil.example/cb',
  'https:\\\\good.example/cb',
  '//good.example/cb',
  'http://good.example/cb',
  'https://good.example:443/cb',
  'https://good.example:8443/cb',
  'https://good.example/cb\t',
  'https://good.example/cb\r\nx: y',
  ' https://good.example/cb',
  'https://g\u043E\u043Ed.example/cb',
  'https://good.example/\u212Bb',
  'javascript:alert(1)//good.example/cb',
];

void t.test(
  '9. redirect URIs match byte for byte; the only exception is the port of a loopback IP address',
  async (t) => {
    const { user } = await world(t);
    const app = await makeApp(user, {
      redirect_uris: [registered, 'http://127.0.0.1/cb', 'http://localhost:7000/cb', 'http://[::1]:7/cb'],
    });
    const code = async (redirectUri: string) =>
      status(askConsent(user, requestOf({ ...app, redirectUri }, pkce(), { scope: 'read:user' })));
    for (const uri of [
      registered,
      'http://127.0.0.1/cb',
      'http://127.0.0.1:1/cb',
      'http://127.0.0.1:65535/cb',
      'http://[::1]:9/cb',
      'http://[::1]/cb',
      'http://localhost:7000/cb',
    ])
      t.equal(await code(uri), 200, uri);
    for (const uri of [
      ...near,
      'https://127.0.0.1:1/cb',
      'http://127.0.0.1:0/cb',
      'http://127.0.0.1:65536/cb',
      'http://127.0.0.1:080/cb',
      'http://127.0.0.1:/cb',
      'http://127.0.0.1:1/cb/',
      'http://127.0.0.1:1@evil.example/cb',
      'http://127.0.0.1.evil.example/cb',
      'http://127.0.0.2/cb',
      'http://127.1/cb',
      'http://0x7f.1/cb',
      'http://localhost/cb',
      'http://localhost:7001/cb',
      'http://localhost.:7000/cb',
    ])
      t.equal(await code(uri), 400, JSON.stringify(uri));
  },
);

void t.test('10. an error is sent only to a registered URI, and is 400 without one', async (t) => {
  const { user, app } = await world(t);
  const wrong = { scope: 'nonsense', response_type: 'code' };
  for (const redirectUri of near.slice(0, 12)) {
    const answer = await askConsent(user, requestOf({ ...app, redirectUri }, pkce(), wrong));
    t.strictSame([answer.status, answer.headers.get('location')], [400, null], redirectUri);
  }
  const sent = await askConsent(user, requestOf(app, pkce(), wrong));
  t.ok(sent.headers.get('location')?.startsWith(`${app.redirectUri}?error=invalid_scope`));
});

void t.test('11. consent: no form of another site, no frame, and remember adds no scope', async (t) => {
  const { forge, visitor, user, app } = await world(t);
  const signedIn = await forge.anonymous.post('/api/v1/auth/login', {
    body: { username: visitor.username, password: visitor.password },
  });
  const cookie = signedIn.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  const query = requestOf(app, pkce(), { scope: 'read:user' });
  const forged = await postForm(
    forge.anonymous.with({ cookie }),
    `${paths.authorize}?${encoded(query)}`,
    { decision: 'allow' },
    { origin: 'https://evil.example' },
  );
  t.equal(forged.status, 403);
  const page = await askConsent(user, query);
  t.equal(page.headers.get('x-frame-options'), 'DENY');
  t.match(page.headers.get('content-security-policy'), /frame-ancestors 'none'/);
  await approve(user, query, { decision: 'allow', remember: 'true' });
  t.ok('auto_approve_redirect_url' in ((await askConsent(user, query)).body as object));
  const wider = await askConsent(user, { ...query, scope: 'read:user write:repo' });
  t.match(wider.body, { decision: 'consent_required', remembered_scopes: ['read:user'] });
  // This instance does not store second factors yet.
});

void t.test(
  '12. a token of another client: introspection returns inactive, revocation is 200 without an effect',
  async (t) => {
    const { forge, user, app } = await world(t);
    const other = await makeApp(user);
    const tokens = await tokensFor(forge, user, app);
    for (const token of [tokens.access_token, tokens.refresh_token]) {
      t.strictSame((await introspect(forge, other, token)).body, { active: false });
      t.equal(await status(postForm(forge.anonymous, paths.revoke, { token, ...proof(other) })), 200);
      t.equal(await status(postForm(forge.anonymous, paths.revoke, { token })), 401, 'no effect without a client');
    }
    t.ok(await works(forge, tokens.access_token));
    t.equal(await status(refresh(forge, app, tokens.refresh_token)), 200);
  },
);

void t.test(
  '13. registration: 404 while disabled, no administrator scopes, no foreign redirects, bounded also in parallel',
  async (t) => {
    const forge = await startTestForge(t);
    const register = (body: object, client: Client = forge.anonymous) => client.post(paths.register, { body });
    const good = { redirect_uris: ['http://127.0.0.1/cb'] };
    t.equal(await status(register(good)), 404);
    t.equal(await status(register(good, await forge.administrator())), 403);
    await setSetting(forge, 'oauth2.dcr.enabled', 'true');
    await setSetting(forge, 'oauth2.dcr.per_ip_per_hour', '1000');
    await setSetting(forge, 'oauth2.dcr.max_clients', '3');
    t.equal(errorOf(await register({ ...good, scope: 'admin:repo' })), 'invalid_scope');
    for (const uri of [
      'http://app.example/cb',
      'javascript:alert(1)',
      'data:text/html,x',
      'https://10.0.0.1/cb',
      'http://169.254.169.254/',
    ])
      t.equal(errorOf(await register({ redirect_uris: [uri] })), 'invalid_redirect_uri', uri);
    // A logo is neither stored nor fetched.
    const answers = await Promise.all(
      Array.from({ length: 9 }, () => register({ ...good, logo_uri: 'http://169.254.169.254/' })),
    );
    t.equal(answers.filter(({ status: got }) => got === 201).length, 3, 'the limit');
  },
);

void t.test(
  '14. suspended clients, and suspended, deleted and demoted users: every live token stops working at once',
  async (t) => {
    const forge: TestForge = await startTestForge(t);
    const admin = await forge.administrator();
    const { client: owner } = await forge.createUser('owner');
    const begin = async (): Promise<{ id: string; app: App; tokens: Tokens; session: Client }> => {
      const user = await forge.createUser();
      const app = await makeApp(owner);
      return { id: user.id, app, tokens: await tokensFor(forge, user.client, app), session: user.client };
    };
    const users = '/api/v1/admin/users';
    for (const [what, end] of Object.entries({
      'suspended client': ({ app }: Awaited<ReturnType<typeof begin>>) =>
        admin.post(`${paths.adminApps}/${app.id}/suspend`),
      'suspended user': ({ id }: { id: string }) => admin.patch(`${users}/${id}`, { body: { status: 'suspended' } }),
      'deleted user': ({ id }: { id: string }) => admin.delete(`${users}/${id}`),
      'deleted client': ({ app }: { app: App }) => owner.delete(`${paths.apps}/${app.id}`),
    })) {
      const begun = await begin();
      t.ok(await works(forge, begun.tokens.access_token));
      await end(begun);
      t.equal(await status(forge.as(begun.tokens.access_token).get('/api/v1/auth/me')), 401, what);
      t.not(await status(refresh(forge, begun.app, begun.tokens.refresh_token)), 200, what);
    }
    const second = await forge.createUser('second', { isAdmin: true });
    const pat = await forge.pat(second.client, ['admin:system']);
    t.equal(await status(pat.get(paths.adminApps)), 200);
    await admin.patch(`${users}/${second.id}`, { body: { is_admin: false } });
    t.equal(await status(pat.get(paths.adminApps)), 403, 'a demoted administrator');
  },
);

void t.test('15. JWTs: no algorithm, another one, an ID token as a session, another kid, issuer or time', async (t) => {
  const { forge, visitor, user, app } = await world(t);
  const { id_token: idToken = '' } = await tokensFor(forge, user, app, { scope: 'openid' });
  const { token: session } = await forge.signIn(visitor.username, visitor.password);
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const [header = '', payload = '', signature = ''] = session.split('.');
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Record<string, unknown>;
  const head = JSON.parse(Buffer.from(header, 'base64url').toString()) as Record<string, unknown>;
  const { keys } = (await forge.anonymous.get('/.well-known/jwks.json')).body as { keys: { n: string }[] };
  const hs = (head64: string, body64: string, key: string): string =>
    `${head64}.${body64}.${createHmac('sha256', key).update(`${head64}.${body64}`).digest('base64url')}`;
  for (const [what, jwt] of Object.entries({
    'an ID token': idToken,
    'alg none': `${part({ ...head, alg: 'none' })}.${payload}.`,
    'alg None': `${part({ ...head, alg: 'None' })}.${payload}.${signature}`,
    'HS256 by the public key': hs(part({ ...head, alg: 'HS256' }), payload, keys[0]?.n ?? ''),
    RS256: `${part({ ...head, alg: 'RS256' })}.${payload}.${signature}`,
    'a kid that climbs': hs(part({ ...head, kid: '../../../../dev/null' }), payload, ''),
    'another user': `${header}.${part({ ...claims, sub: '00000000-0000-4000-8000-000000000000' })}.${signature}`,
    'another issuer': hs(header, part({ ...claims, iss: 'https://evil.example' }), ''),
    expired: hs(header, part({ ...claims, exp: 1 }), ''),
    'not yet': hs(header, part({ ...claims, nbf: 9_999_999_999 }), ''),
  }))
    t.equal(await status(forge.as(jwt).get('/api/v1/auth/me')), 401, what);
  t.equal(await status(forge.as(session).get('/api/v1/auth/me')), 200);
});

void t.test('16. tokens in the query are ignored, and no secret is logged', async (t) => {
  const forge = await startTestForge(t, { environment: { HEXFORGE_LOG_LEVEL: 'debug' } });
  const { client: user } = await forge.createUser('visitor');
  const app = await makeApp(user);
  const { code, keys } = await codeFor(user, app);
  const tokens = (await exchange(forge, app, code, keys)).body as Tokens;
  for (const name of ['access_token', 'token', 'bearer'])
    t.equal(await status(forge.anonymous.get(`/api/v1/auth/me?${name}=${tokens.access_token}`)), 401, name);
  const inUrl = await forge.anonymous.post(`${paths.token}?${encoded({ ...proof(app), code })}`);
  t.equal(inUrl.status, 400);
  const { stderr } = forge.output;
  for (const [what, secret] of Object.entries({ ...tokens, code, secret: app.secret, verifier: keys.verifier }))
    if (typeof secret === 'string' && secret.length > 30) t.notOk(stderr.includes(secret), what);
});

void t.test('18. unknown and wrong credentials get the same answer', async (t) => {
  const { forge, app } = await world(t);
  const asked = (over: Readonly<Record<string, string | undefined>>) =>
    postForm(forge.anonymous, paths.token, { grant_type: 'authorization_code', ...over });
  const answers = [
    await asked({ client_id: app.clientId, client_secret: 'wrong' }),
    await asked({ client_id: 'unknown', client_secret: 'wrong' }),
    await asked({ client_id: app.clientId }),
  ];
  t.equal(new Set(answers.map(({ status: got, text }) => `${got} ${text}`)).size, 1);
  // test/adapters/crypto tests that secrets are compared in constant time, as digests of one length. The throttle of
  // sign-ins is tested in test/spec/identity.
});

void t.test(
  '19. proxy headers count only from trusted peers: registration is throttled by the real address',
  async (t) => {
    const forge = await startTestForge(t, {
      configuration: { settings: { 'oauth2.dcr.enabled': true, 'oauth2.dcr.per_ip_per_hour': 2 } },
    });
    const from = (address: string) =>
      forge.anonymous.post(paths.register, {
        body: { redirect_uris: ['http://127.0.0.1/cb'] },
        headers: { 'x-forwarded-for': address, 'x-real-ip': address, 'x-forwarded-user': 'admin' },
      });
    t.equal(await status(from('192.0.2.1')), 201);
    t.equal(await status(from('192.0.2.2')), 201);
    t.equal(await status(from('192.0.2.3')), 429);
    t.equal(await status(forge.anonymous.get('/api/v1/auth/me', { headers: { 'x-forwarded-user': 'admin' } })), 401);
  },
);

void t.test('17. an e-mail address given as a list is refused', async (t) => {
  // Sign-in, recovery and session cookies are tested in test/spec/identity.
  const { anonymous } = await sharedForge(t);
  t.equal(await status(anonymous.post('/api/v1/auth/login', { body: { username: ['admin'], password: 'x' } })), 400);
});
