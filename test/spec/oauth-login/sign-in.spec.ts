// Tests of "Signing in through others" with OpenID providers: start, callback, accounts, linking and refusals.
// Databases make a difference in test/spec/identity/identities.spec.ts and test/process/shared-sign-in.spec.ts.
import t, { type Test } from 'tap';
import { Visitor } from '#test/support/clients/visitor';
import { startTestForge, type TestForge } from '#test/support/forge';
import { startOidcServer } from '#test/support/servers/oidc-server';
import { client, startOpenidProvider, user, type Issuer, type Json } from '#test/support/servers/openid-provider';

const settingsOf = (issuer: string, id = 'oidc'): Readonly<Record<string, unknown>> => ({
  [`oauth.${id}.enabled`]: true,
  [`oauth.${id}.client_id`]: client.id,
  [`oauth.${id}.client_secret`]: client.secret,
  [`oauth.${id}.issuer`]: issuer,
});

const provider = await startOpenidProvider();
t.teardown(() => provider.stop());

const callback = '/api/v1/auth/oauth/oidc/callback';
const html = { accept: 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.8' };

/** The next sign-ins at the issuer are those of this user. */
const as = (issuer: Issuer, over: Json): void => issuer.falsify({ claims: (claims) => ({ ...claims, ...over }) });

interface Callback {
  readonly visitor: Visitor;
  readonly url: string;
}

/** A browser that has been at the provider, before it requests the callback. */
async function atCallback(
  forge: TestForge,
  issuer: Issuer,
  visitor = new Visitor(forge),
  query = '',
): Promise<Callback> {
  const answer = await visitor.get(`${forge.url}/api/v1/auth/oauth/oidc/start${query}`);
  const { code, state, iss } = issuer.approve(answer.headers.get('location') ?? '');
  return { visitor, url: `${forge.url}${callback}?${new URLSearchParams({ code, state, iss }).toString()}` };
}

async function signIn(forge: TestForge, issuer: Issuer, query = ''): Promise<Response & { visitor: Visitor }> {
  const { visitor, url } = await atCallback(forge, issuer, new Visitor(forge), query);
  return Object.assign(await visitor.get(url), { visitor });
}

/** The client of a session that the cookies of a browser hold. */
const sessionOf = ({ as: withToken, url }: TestForge, visitor: Visitor) =>
  withToken(visitor.cookie(url, 'svc_access_token') ?? '');

const refusalOf = async (answer: Response): Promise<unknown> => [
  answer.status,
  ((await answer.json()) as { readonly error_code: string }).error_code,
];

async function opened(t: Test, settings: Readonly<Record<string, unknown>> = {}) {
  const issuer = provider.issuer();
  const forge = await startTestForge(t, {
    database: 'memory',
    configuration: { settings: { ...settingsOf(issuer.issuer), ...settings } },
  });
  return { forge, issuer };
}

void t.test('a certified OpenID provider', async (t) => {
  const server = await startOidcServer();
  t.teardown(() => server.stop());
  const forge = await startTestForge(t, { database: 'memory', configuration: { settings: settingsOf(server.issuer) } });
  server.serve({ ...client, redirectUri: `${forge.url}${callback}` });
  const visitor = new Visitor(forge);
  const url = await visitor.follow(
    `${forge.url}/api/v1/auth/oauth/oidc/start?return_to=%2Fada%2Fsite`,
    forge.url + callback,
  );
  const answer = await visitor.get(url);
  t.equal(answer.status, 303);
  t.equal(answer.headers.get('location'), '/ada/site');
  t.equal(answer.headers.get('cache-control'), 'no-store');
  t.equal(answer.headers.get('referrer-policy'), 'no-referrer');
  t.match((await sessionOf(forge, visitor).get('/api/v1/auth/me')).body, {
    username: 'ada',
    email: 'ada@example.com',
    display_name: 'Ada Lovelace',
    is_admin: false,
  });
  t.strictSame(await refusalOf(await visitor.get(url)), [403, 'sign_in_not_started'], 'the callback works once');
});

void t.test('the list of providers, and their routes', async (t) => {
  const { forge, issuer } = await opened(t, {
    ...settingsOf('https://gitlab.example', 'gitlab'),
    'oauth.gitlab.enabled': false,
  });
  t.strictSame((await forge.anonymous.get('/api/v1/auth/providers')).body, {
    items: [
      {
        id: 'oidc',
        kind: 'redirect',
        display_name: 'OpenID Connect',
        start_url: `${forge.url}/api/v1/auth/oauth/oidc/start`,
      },
    ],
  });
  const page = await new Visitor(forge).get(`${forge.url}/-/sign-in?return_to=%2Fada`, html);
  t.match(
    await page.text(),
    /href="\/api\/v1\/auth\/oauth\/oidc\/start\?return_to=%2Fada"[^>]*>\s*Sign in with OpenID Connect/,
  );
  for (const path of ['gitlab/start', 'github/start', 'nobody/start', 'constructor/start', 'nobody/callback?code=x'])
    t.equal((await new Visitor(forge).get(`${forge.url}/api/v1/auth/oauth/${path}`)).status, 404, path);
  const started = await new Visitor(forge).get(`${forge.url}/api/v1/auth/oauth/oidc/start`);
  t.equal(started.status, 302);
  const { searchParams } = new URL(started.headers.get('location') ?? '');
  t.match(Object.fromEntries(searchParams), {
    response_type: 'code',
    client_id: client.id,
    redirect_uri: `${forge.url}${callback}`,
    code_challenge_method: 'S256',
    code_challenge: /^[\w-]{43}$/,
    state: /^[\w-]{43}$/,
    nonce: /./,
  });
  t.match(started.headers.getSetCookie(), [/^svc_sign_in=[^;]+; Max-Age=600; .*Path=\/; HttpOnly; SameSite=Lax$/]);
  const root = await forge.administrator();
  await root.put('/api/v1/admin/settings/oauth.oidc.enabled', { body: { value: 'false' } });
  t.strictSame((await forge.anonymous.get('/api/v1/auth/providers')).body, { items: [] });
  t.equal((await new Visitor(forge).get(`${forge.url}/api/v1/auth/oauth/oidc/start`)).status, 404);
  t.equal(issuer.requests.length, 1, 'only the discovery');
});

void t.test('pages on another host than REST: a sign-in stays on the host whose cookies it needs', async (t) => {
  const { issuer } = provider.issuer();
  const forge = await startTestForge(t, {
    configuration: { settings: settingsOf(issuer) },
    environment: { HEXFORGE_BASE_URL: 'https://rest.example', HEXFORGE_WEB_URL: 'https://pages.example' },
  });
  const listed = (await forge.anonymous.get('/api/v1/auth/providers')).body;
  t.match(listed, { items: [{ start_url: 'https://pages.example/api/v1/auth/oauth/oidc/start' }] });
  const started = await new Visitor().get(`${forge.url}/api/v1/auth/oauth/oidc/start`);
  const { searchParams } = new URL(started.headers.get('location') ?? '');
  t.equal(searchParams.get('redirect_uri'), `https://pages.example${callback}`);
});

void t.test('accounts: first sign-in, again, and by the subject alone', async (t) => {
  const { forge, issuer } = await opened(t);
  const first = await signIn(forge, issuer);
  t.equal(first.status, 303);
  t.equal(first.headers.get('location'), '/');
  const me = (await sessionOf(forge, first.visitor).get('/api/v1/auth/me')).body as { id: string };
  as(issuer, { preferred_username: 'admin', email: 'admin@localhost', name: 'Somebody else' });
  const again = await signIn(forge, issuer);
  t.match((await sessionOf(forge, again.visitor).get('/api/v1/auth/me')).body, {
    id: me.id,
    username: 'ada',
    email: user.email,
  });
  as(issuer, { sub: 'user-2' });
  const other = await signIn(forge, issuer);
  t.strictSame(await refusalOf(other), [403, 'account_exists'], 'the address is taken');
  as(issuer, { sub: 'user-2', email: 'two@example.com' });
  const second = await signIn(forge, issuer);
  t.match((await sessionOf(forge, second.visitor).get('/api/v1/auth/me')).body, { username: 'ada-1' });
});

void t.test('accounts: taken names and addresses, verified or not', async (t) => {
  const { forge, issuer } = await opened(t);
  await forge.createUser('eve', { email: 'eve@example.com' });
  for (const claims of [
    { preferred_username: 'eve', email: 'new@example.com' },
    { preferred_username: 'EVE', email: undefined, email_verified: undefined },
    { preferred_username: 'new', email: 'EVE@example.com' },
    { preferred_username: 'new', email: 'eve@example.com', email_verified: false },
    { preferred_username: 'new', email: 'eve@example.com', email_verified: 'true' },
  ]) {
    as(issuer, { sub: 'x', ...claims });
    t.strictSame(await refusalOf(await signIn(forge, issuer)), [403, 'account_exists'], JSON.stringify(claims));
  }
  t.equal((await forge.anonymous.get('/api/v1/users/new')).status, 404);
});

void t.test('accounts: creation switched off, approval, suspension', async (t) => {
  const { forge, issuer } = await opened(t, { 'auth.auto_create': false });
  const root = await forge.administrator();
  const set = (key: string, value: string) => root.put(`/api/v1/admin/settings/${key}`, { body: { value } });
  t.strictSame(await refusalOf(await signIn(forge, issuer)), [403, 'account_unknown']);
  await set('auth.auto_create', 'true');
  await set('signup.require_approval', 'true');
  t.strictSame(await refusalOf(await signIn(forge, issuer)), [403, 'approval_pending']);
  await set('signup.require_approval', 'false');
  const { visitor } = await signIn(forge, issuer);
  const { id } = (await sessionOf(forge, visitor).get('/api/v1/auth/me')).body as { id: string };
  await root.patch(`/api/v1/admin/users/${id}`, { body: { status: 'suspended' } });
  t.strictSame(await refusalOf(await signIn(forge, issuer)), [403, 'account_suspended']);
  t.match((await root.get(`/api/v1/admin/users/${id}`)).body, { status: 'suspended' });
});

void t.test('return_to leads to paths of this instance only', async (t) => {
  const { forge, issuer } = await opened(t);
  for (const [path, location] of [
    ['/ada/engine?tab=1', '/ada/engine?tab=1'],
    ['//evil.example', '/'],
    ['/\\evil.example', '/'],
    ['https://evil.example/', '/'],
    ['/%2e%2e//evil.example', '/'],
    ['javascript:alert(1)', '/'],
    [`/${'x'.repeat(3000)}`, '/'],
    ['/a\r\nset-cookie: x=y', '/'],
  ] as const) {
    const answer = await signIn(forge, issuer, `?return_to=${encodeURIComponent(path)}`);
    t.equal(answer.headers.get('location'), location, path);
  }
});

void t.test('the browser that started a sign-in is the only one to finish it, once', async (t) => {
  const { forge, issuer } = await opened(t);
  const mine = await atCallback(forge, issuer);
  t.strictSame(await refusalOf(await new Visitor(forge).get(mine.url)), [403, 'sign_in_not_started'], 'stolen state');
  const other = await atCallback(forge, issuer);
  t.strictSame(await refusalOf(await other.visitor.get(mine.url)), [403, 'sign_in_not_started'], 'login CSRF');
  for (const state of ['x'.repeat(43), 'x', '', '../'.repeat(20)]) {
    const url = new URL(mine.url);
    url.searchParams.set('state', state);
    t.strictSame(await refusalOf(await mine.visitor.get(url.href)), [403, 'sign_in_not_started'], state);
  }
  t.strictSame(await refusalOf(await mine.visitor.get(`${mine.url}&state=x`)), [403, 'sign_in_not_started']);
  const elsewhere = mine.url.replace('/oidc/', '/gitlab/');
  t.equal((await mine.visitor.get(elsewhere)).status, 404, 'mix-up of providers');
  const ends = await Promise.all([1, 2, 3].map(() => mine.visitor.get(mine.url)));
  t.strictSame(ends.map(({ status }) => status).toSorted(), [303, 403, 403]);
});

void t.test('an injected code, repeated and overlong parameters, and errors are refused', async (t) => {
  const { forge, issuer } = await opened(t);
  const victim = await atCallback(forge, issuer);
  const attacker = await atCallback(forge, issuer);
  const injected = new URL(victim.url);
  injected.searchParams.set('code', new URL(attacker.url).searchParams.get('code') ?? '');
  t.strictSame(await refusalOf(await victim.visitor.get(injected.href)), [403, 'provider_refused']);
  for (const more of ['&code=y', '&iss=y', '&error_description=x&error_description=y', `&error=${'x'.repeat(200)}`]) {
    const { visitor, url } = await atCallback(forge, issuer);
    t.strictSame(await refusalOf(await visitor.get(url + more)), [403, 'provider_answer_invalid'], more);
  }
  const long = await atCallback(forge, issuer);
  const url = new URL(long.url);
  url.searchParams.set('code', 'x'.repeat(4097));
  t.strictSame(await refusalOf(await long.visitor.get(url.href)), [403, 'provider_answer_invalid']);
  const cancelled = await atCallback(forge, issuer);
  const state = new URL(cancelled.url).searchParams.get('state') ?? '';
  const error = `${forge.url}${callback}?error=access_denied&state=${state}`;
  t.strictSame(await refusalOf(await cancelled.visitor.get(error)), [403, 'access_denied']);
});

void t.test('browsers are led to the sign-in page, which explains the refusal', async (t) => {
  const { forge, issuer } = await opened(t);
  await forge.createUser('eve');
  as(issuer, { sub: 'x', preferred_username: 'eve' });
  const { visitor, url } = await atCallback(forge, issuer);
  const answer = await visitor.get(url, html);
  t.equal(answer.status, 303);
  t.equal(answer.headers.get('location'), '/-/sign-in?error=account_exists');
  const shown = await visitor.get(new URL(answer.headers.get('location') ?? '', forge.url).href, html);
  t.match(await shown.text(), /The username or e-mail address is that of another account/);
  const late = await new Visitor(forge).get(url, html);
  t.equal(late.headers.get('location'), '/-/sign-in?error=sign_in_not_started');
});

void t.test('a provider that is down is 502, as a page for browsers, and others still work', async (t) => {
  const { forge, issuer } = await opened(t, settingsOf('http://127.0.0.1:1', 'gitlab'));
  const start = `${forge.url}/api/v1/auth/oauth/gitlab/start`;
  const answer = await new Visitor(forge).get(start);
  t.strictSame(await refusalOf(answer), [502, 'provider_unavailable']);
  const shown = await new Visitor(forge).get(start, html);
  t.equal(shown.status, 502);
  t.match(shown.headers.get('content-type'), /^text\/html/);
  t.match(await shown.text(), /GitLab/);
  t.equal((await signIn(forge, issuer)).status, 303);
  const { visitor, url } = await atCallback(forge, issuer);
  issuer.falsify({
    raw: (path, response) => {
      if (path !== '/token') return false;
      response.writeHead(500).end();
      return true;
    },
  });
  t.strictSame(await refusalOf(await visitor.get(url)), [502, 'provider_unavailable']);
  t.equal((await forge.signIn(forge.admin.username, forge.admin.password)).user.username, 'admin');
});

void t.test('identities: link, list, sign in with it, unlink', async (t) => {
  const { forge, issuer } = await opened(t);
  const eve = await forge.createUser('eve');
  const link = async () => {
    const answer = await eve.client.post('/api/v1/user/identities/oidc', { body: {} });
    const { redirect_url: redirectUrl } = answer.body as { redirect_url: string };
    const visitor = new Visitor(forge);
    visitor.keep(forge.url, answer.headers.getSetCookie());
    const { code, state, iss } = issuer.approve(redirectUrl);
    return { visitor, url: `${forge.url}${callback}?${new URLSearchParams({ code, state, iss }).toString()}` };
  };
  const { visitor, url } = await link();
  const answer = await visitor.get(url);
  t.equal(answer.headers.get('location'), '/-/settings/identities?done=linked');
  t.equal(visitor.cookie(forge.url, 'svc_access_token'), undefined, 'no session is opened');
  const { items } = (await eve.client.get('/api/v1/user/identities')).body as { items: { id: string }[] };
  t.match(items, [{ id: String, provider: 'oidc', subject_hint: 'ada', created_at: /Z$/ }]);
  t.equal(items.length, 1);
  const signed = await signIn(forge, issuer);
  t.match((await sessionOf(forge, signed.visitor).get('/api/v1/auth/me')).body, { id: eve.id });

  const mallory = await forge.createUser('mallory');
  t.equal((await mallory.client.delete(`/api/v1/user/identities/${items[0]?.id}`)).status, 404);
  t.equal((await eve.client.delete(`/api/v1/user/identities/${items[0]?.id}`)).status, 204);
  t.strictSame((await eve.client.get('/api/v1/user/identities')).body, { items: [] });

  const created = await signIn(forge, issuer);
  const ada = sessionOf(forge, created.visitor);
  const own = (await ada.get('/api/v1/user/identities')).body as { items: { id: string }[] };
  t.match(await ada.delete(`/api/v1/user/identities/${own.items[0]?.id}`), {
    status: 409,
    body: { error_code: 'last_way_in' },
  });
  const taken = await link();
  t.strictSame(await refusalOf(await taken.visitor.get(taken.url)), [409, 'identity_taken']);
  const shown = await link();
  t.equal(
    (await shown.visitor.get(shown.url, html)).headers.get('location'),
    '/-/settings/identities?error=identity_taken',
  );
  for (let number = 0; number < 20; number += 1) {
    as(issuer, { sub: `many-${number}` });
    const more = await link();
    await more.visitor.get(more.url);
  }
  as(issuer, { sub: 'one-more' });
  const full = await link();
  t.strictSame(await refusalOf(await full.visitor.get(full.url)), [422, 'too_many_identities']);
  const told = await link();
  t.equal(
    (await told.visitor.get(told.url, html)).headers.get('location'),
    '/-/settings/identities?error=too_many_identities',
  );
  t.equal((await eve.client.post('/api/v1/user/identities/nobody', { body: {} })).status, 404);
  const pat = await forge.pat(eve.client, ['repo:read']);
  for (const answer of [
    await pat.post('/api/v1/user/identities/oidc', { body: {} }),
    await pat.get('/api/v1/user/identities'),
    await pat.delete(`/api/v1/user/identities/${own.items[0]?.id}`),
  ])
    t.equal(answer.status, 403);
  const ended = await link();
  await eve.client.post('/api/v1/auth/logout');
  t.strictSame(await refusalOf(await ended.visitor.get(ended.url)), [403, 'sign_in_not_started']);
});

void t.test('the first password of an account that a provider made', async (t) => {
  const { forge, issuer } = await opened(t);
  const { visitor } = await signIn(forge, issuer);
  const ada = sessionOf(forge, visitor);
  const change = (body: Json) => ada.post('/api/v1/user/password', { body });
  t.match(await change({ current_password: 'guess', new_password: 'a long password' }), {
    status: 409,
    body: { error_code: 'no_password' },
  });
  t.equal((await forge.anonymous.post('/api/v1/auth/login', { body: { username: 'ada', password: '' } })).status, 400);
  t.equal((await change({ new_password: 'a long password' })).status, 204);
  t.equal((await change({ new_password: 'another password' })).status, 400);
  t.equal((await forge.signIn('ada', 'a long password')).user.username, 'ada');
});

void t.test('secrets and codes are in no log, audit entry or answer', async (t) => {
  const { forge, issuer } = await opened(t);
  const { visitor, url } = await atCallback(forge, issuer);
  await visitor.get(url);
  const refused = await atCallback(forge, issuer);
  issuer.falsify({ claims: (claims) => ({ ...claims, nonce: 'another' }) });
  t.strictSame(await refusalOf(await refused.visitor.get(refused.url)), [403, 'provider_answer_invalid']);
  const root = await forge.administrator();
  const audit = (await root.get('/api/v1/admin/audit-log?per_page=100')).text;
  t.match(audit, /provider_answer_invalid/);
  const settings = (await root.get('/api/v1/admin/settings')).text;
  for (const secret of [
    client.secret,
    ...[url, refused.url].map((one) => new URL(one).searchParams.get('code') ?? ''),
    'access-code',
  ])
    for (const text of [forge.output.stderr, forge.output.stdout, audit, settings])
      t.notOk(text.includes(secret), secret.slice(0, 12));
});
