// Tests of oauthConsent and oauthDecide, the authorization endpoint.
import t from 'tap';
import type { Answer } from '#test/support/clients/client';
import { startTestForge } from '#test/support/forge';
import { sharedForge } from '#test/support/shared-forge';
import {
  approve,
  askConsent,
  callback,
  codeFor,
  decide,
  encoded,
  exchange,
  formType,
  makeApp,
  paths,
  pkce,
  postForm,
  requestOf,
  tokensFor,
} from './flow.ts';

const keys = pkce();
const errorOf = (answer: Answer): unknown => (answer.body as { error?: unknown } | undefined)?.error;
const errorAt = (answer: Answer): URLSearchParams => new URL(answer.headers.get('location') ?? '').searchParams;

void t.test('GET: 200 with consent metadata for the signed-in user', async (t) => {
  const forge = await sharedForge(t);
  const { client: owner } = await forge.createUser('owner');
  const { client: user } = await forge.createUser('visitor');
  const app = await makeApp(owner, { name: 'Notes' });
  const answer = await askConsent(user, requestOf(app, keys, { scope: 'read:user openid' }));
  const { shown, ...metadata } = answer.body as { readonly shown: string };
  t.match(shown, /^[0-9a-f]{64}$/);
  t.strictSame(
    [answer.status, metadata, answer.headers.get('cache-control'), answer.headers.get('x-frame-options')],
    [
      200,
      {
        decision: 'consent_required',
        app_name: 'Notes',
        description: '',
        homepage_url: '',
        logo_url: '',
        scopes_requested: ['read:user', 'openid'],
        grant_exists: false,
        remembered_scopes: [],
        redirect_host: 'app.example',
        self_registered: false,
      },
      'no-store',
      'DENY',
    ],
  );
  t.match(answer.headers.get('content-security-policy'), /frame-ancestors 'none'/);
  const all = await askConsent(user, requestOf(app, keys));
  t.match(
    all.body,
    { scopes_requested: ['read:user', 'read:repo', 'write:repo'] },
    'without a scope parameter: the registered scopes',
  );
  t.equal(all.headers.get('access-control-allow-origin'), null);
});

void t.test(
  'oauthConsent: 400 while the redirect URI is not trusted, and for a wrong response_type or missing PKCE',
  async (t) => {
    const forge = await sharedForge(t);
    const { client: user } = await forge.createUser('visitor');
    const app = await makeApp(user);
    const good = requestOf(app, keys);
    const suspended = await makeApp(user);
    await (await forge.administrator()).post(`${paths.adminApps}/${suspended.id}/suspend`);
    const cases: readonly (readonly [string, Readonly<Record<string, string | undefined>>, string])[] = [
      ['no client_id', { client_id: undefined }, 'invalid_request'],
      ['an empty client_id', { client_id: '' }, 'invalid_request'],
      ['an unknown client', { client_id: 'nobody' }, 'invalid_client'],
      ['a suspended client', { client_id: suspended.clientId }, 'invalid_client'],
      ['no redirect_uri', { redirect_uri: undefined }, 'invalid_request'],
      ['another redirect_uri', { redirect_uri: 'https://evil.example/callback' }, 'invalid_request'],
      ['no response_type', { response_type: undefined }, 'unsupported_response_type'],
      ['response_type token', { response_type: 'token' }, 'unsupported_response_type'],
      ['no PKCE', { code_challenge: undefined, code_challenge_method: undefined }, 'invalid_request'],
      ['no method', { code_challenge_method: undefined }, 'invalid_request'],
      ['method plain', { code_challenge_method: 'plain' }, 'invalid_request'],
      ['method s256', { code_challenge_method: 's256' }, 'invalid_request'],
      ['a short challenge', { code_challenge: 'short' }, 'invalid_request'],
      ['a long challenge', { code_challenge: `${keys.challenge}A` }, 'invalid_request'],
      ['a state that is too long', { state: 'x'.repeat(2049) }, 'invalid_request'],
    ];
    for (const [what, over, error] of cases)
      for (const answer of [await askConsent(user, { ...good, ...over }), await decide(user, { ...good, ...over })]) {
        t.equal(answer.status, 400, what);
        t.equal(errorOf(answer), error, what);
        t.match((answer.body as { error_description: string }).error_description, /^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/);
        t.equal(answer.headers.get('location'), null, `${what}: no redirect`);
      }
    for (const name of ['client_id', 'redirect_uri', 'scope', 'state', 'code_challenge', 'nonce']) {
      const answer = await user.get(`${paths.authorize}?${encoded(good)}&${name}=a&${name}=b`);
      t.strictSame([answer.status, errorOf(answer)], [400, 'invalid_request'], `repeated ${name}`);
    }
  },
);

void t.test('302 to the registered redirect_uri with error, state and iss', async (t) => {
  const forge = await sharedForge(t);
  const { client: user } = await forge.createUser('visitor');
  const app = await makeApp(user);
  const open = await makeApp(user, { confidential: false, scopes: ['read:user', 'admin:repo', 'read:audit'] });
  const good = requestOf(app, keys, { state: 'ü & =?' });
  const cases: readonly (readonly [string, Readonly<Record<string, string | undefined>>, string])[] = [
    ['an unknown scope', { scope: 'read:everything' }, 'invalid_scope'],
    ['a scope that is not registered', { scope: 'admin:repo' }, 'invalid_scope'],
    ['two spaces', { scope: 'read:user  openid' }, 'invalid_scope'],
    ['an admin-only scope of a public client', { client_id: open.clientId, scope: 'admin:repo' }, 'invalid_scope'],
    ['the other one', { client_id: open.clientId, scope: 'read:audit' }, 'invalid_scope'],
    ['a resource elsewhere', { resource: 'https://evil.example/api/v1/mcp/a/b' }, 'invalid_target'],
    ['an unknown resource', { resource: `${forge.url}/api/v1/repos` }, 'invalid_target'],
    ['a fragment', { resource: `${forge.url}/api/v1/mcp/a/b#c` }, 'invalid_target'],
    ['a request object', { request: 'e30.e30.' }, 'request_not_supported'],
    ['one referred to', { request_uri: 'https://app.example/r' }, 'request_uri_not_supported'],
    ['a registration', { registration: '{}' }, 'registration_not_supported'],
    ['another response_mode', { response_mode: 'fragment' }, 'invalid_request'],
    ['an unknown prompt', { prompt: 'dance' }, 'invalid_request'],
    ['none beside another', { prompt: 'none consent' }, 'invalid_request'],
    ['a max_age that is no number', { max_age: 'soon' }, 'invalid_request'],
    ['prompt=none without a grant', { prompt: 'none' }, 'consent_required'],
  ];
  for (const [what, over, error] of cases) {
    const answer = await askConsent(user, { ...good, ...over });
    t.equal(answer.status, 302, `${what}: ${answer.text}`);
    t.ok(answer.headers.get('location')?.startsWith(`${callback}?`), what);
    const back = errorAt(answer);
    t.strictSame([back.get('error'), back.get('state'), back.get('iss')], [error, 'ü & =?', forge.url], what);
    t.equal(back.get('code'), null, what);
  }
  const posted = await decide(user, { ...good, scope: 'nonsense' });
  t.strictSame(
    [posted.status, errorAt(posted).get('error')],
    [302, 'invalid_scope'],
    'POST reports errors as GET does',
  );
  const others =
    'display=popup&ui_locales=de%20en&claims_locales=de&acr_values=0&login_hint=x&claims=%7B%7D&audience=x';
  t.equal(
    (await user.get(`${paths.authorize}?${encoded(good)}&${others}`)).status,
    200,
    'other parameters are ignored',
  );
  const twice = await user.get(`${paths.authorize}?${encoded(good)}&resource=a&resource=b`);
  t.equal(errorAt(twice).get('error'), 'invalid_target', 'a repeated resource');
});

void t.test('401 without a signed-in session, 403 for personal access tokens and OAuth2 tokens', async (t) => {
  const forge = await sharedForge(t);
  const { client: user } = await forge.createUser('visitor');
  const app = await makeApp(user);
  const query = requestOf(app, keys);
  t.equal((await askConsent(forge.anonymous, query)).status, 401);
  t.equal((await askConsent(forge.anonymous, { ...query, prompt: 'none' })).status, 401, 'for any prompt');
  t.equal((await decide(forge.anonymous, query)).status, 401);
  const pat = await forge.pat(user, ['repo:admin']);
  const { access_token: token } = await tokensFor(forge, user, app);
  for (const client of [pat, forge.as(token)]) {
    t.equal((await askConsent(client, query)).status, 403);
    t.equal((await decide(client, query)).status, 403);
    t.equal((await client.post(paths.apps, { body: {} })).status, 403, 'nor registers an application');
  }
});

void t.test('POST: the approval URL has code, state and iss; the cancel URL has access_denied', async (t) => {
  const forge = await sharedForge(t);
  const { client: user } = await forge.createUser('visitor');
  const app = await makeApp(user, { redirect_uris: [`${callback}?kept=1`] });
  const query = requestOf(app, keys, { state: 's p&c' });
  const approved = await decide(user, query);
  t.equal(approved.status, 200);
  t.equal(approved.headers.get('cache-control'), 'no-store');
  const { redirect_url: url } = approved.body as { redirect_url: string };
  t.ok(url.startsWith(`${callback}?kept=1&`), 'the query of the redirect URI is kept');
  const back = new URL(url).searchParams;
  t.match(back.get('code'), /^\w{43}$/);
  t.strictSame([back.get('state'), back.get('iss'), back.get('kept')], ['s p&c', forge.url, '1']);

  const cancelled = await decide(user, query, { decision: 'cancel' });
  t.equal(cancelled.status, 200);
  const denied = new URL((cancelled.body as { redirect_url: string }).redirect_url).searchParams;
  t.strictSame(
    [denied.get('error'), denied.get('state'), denied.get('iss'), denied.get('code')],
    ['access_denied', 's p&c', forge.url, null],
  );

  const absent = await decide(user, query, {});
  t.strictSame([absent.status, errorOf(absent)], [400, 'invalid_request'], 'a missing decision is refused');
  t.equal((await decide(user, query, { decision: 'whatever' })).status, 200, 'any decision other than cancel approves');
});

void t.test('remember: true allows silent approval, false removes it, a missing value changes nothing', async (t) => {
  const forge = await sharedForge(t);
  const { client: user } = await forge.createUser('visitor');
  const app = await makeApp(user, { redirect_uris: [callback, 'https://other.example/callback'] });
  const ask = (over = {}) => askConsent(user, requestOf(app, keys, { scope: 'read:user read:repo', ...over }));
  const silent = async (over = {}) => 'auto_approve_redirect_url' in ((await ask(over)).body as object);

  await approve(user, requestOf(app, keys, { scope: 'read:user read:repo' }), { decision: 'yes', remember: 'true' });
  const again = await ask();
  t.strictSame(Object.keys(again.body as object), ['auto_approve_redirect_url']);
  const { auto_approve_redirect_url: url } = again.body as { auto_approve_redirect_url: string };
  const code = new URL(url).searchParams.get('code') ?? '';
  t.equal((await exchange(forge, app, code, keys)).status, 200, 'with a valid code');
  t.ok(await silent({ scope: 'read:user' }), 'a subset');
  t.ok(await silent({ prompt: 'none' }));
  t.notOk(await silent({ scope: 'read:user write:repo' }), 'never more than was remembered');
  t.match((await ask({ scope: 'write:repo' })).body, {
    grant_exists: true,
    remembered_scopes: ['read:user', 'read:repo'],
  });
  t.notOk(await silent({ redirect_uri: 'https://other.example/callback' }), 'not for another redirect URI');
  t.notOk(await silent({ resource: `${forge.url}/api/v1/mcp/a/b` }), 'not for another resource');
  t.notOk(await silent({ prompt: 'consent' }), 'not if the client requests consent');

  await approve(user, requestOf(app, keys, { scope: 'write:repo' }));
  t.ok(await silent(), 'an approval without `remember` keeps it');
  t.notOk(await silent({ scope: 'write:repo' }), 'an approval without `remember` adds no scope to the remembered ones');
  await approve(user, requestOf(app, keys, { scope: 'read:user' }), { decision: 'yes', remember: 'false' });
  t.notOk(await silent());
  t.match((await ask()).body, { grant_exists: false, remembered_scopes: [] });

  await approve(user, requestOf(app, keys, { scope: 'read:user' }), { decision: 'yes', remember: 'true' });
  const cancel = (form = {}) => decide(user, requestOf(app, keys), { decision: 'cancel', ...form });
  await cancel();
  await cancel({ remember: 'true' });
  t.ok(await silent({ scope: 'read:user' }), 'a refusal keeps the remembered consent');
  t.equal((await cancel({ remember: 'false' })).status, 200);
  t.notOk(await silent({ scope: 'read:user' }), 'a refusal with remember=false removes the remembered consent');
});

void t.test('max_age and prompt=login: a sign-in that is too old is login_required', async (t) => {
  const forge = await sharedForge(t);
  const { client: user } = await forge.createUser('visitor');
  const app = await makeApp(user);
  t.equal((await askConsent(user, requestOf(app, keys, { max_age: '3600' }))).status, 200);
  t.equal((await askConsent(user, requestOf(app, keys, { prompt: 'login' }))).status, 200, 'a recent sign-in');
  const silent = async (maxAge: string) =>
    errorAt(await askConsent(user, requestOf(app, keys, { prompt: 'none', max_age: maxAge }))).get('error');
  t.equal(await silent('3600'), 'consent_required');
  t.equal(
    await silent('0'),
    'login_required',
    'the sign-in is older than 0 seconds, because an application was created after it',
  );
});

void t.test('the session cookie signs in here; a form of another site is csrf_rejected', async (t) => {
  const forge = await sharedForge(t);
  const user = await forge.createUser('visitor');
  const app = await makeApp(user.client);
  const signedIn = await forge.anonymous.post('/api/v1/auth/login', {
    body: { username: user.username, password: user.password },
  });
  const cookie = signedIn.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ');
  const browser = forge.anonymous.with({ cookie });
  const query = requestOf(app, keys);
  t.equal((await askConsent(browser, query)).status, 200);
  const from = (headers: Readonly<Record<string, string>>) =>
    postForm(browser, `${paths.authorize}?${encoded(query)}`, { decision: 'allow' }, headers);
  t.equal((await from({ origin: forge.url })).status, 200);
  t.equal((await from({})).status, 200, 'without both headers it is not a browser');
  await postForm(browser, `${paths.authorize}?${encoded(query)}`, { decision: 'allow', remember: 'true' });
  const silent = async (site: string) => {
    const asked = await browser.get(`${paths.authorize}?${encoded(query)}`, { headers: { 'sec-fetch-site': site } });
    return 'auto_approve_redirect_url' in (asked.body as object);
  };
  t.ok(await silent('same-origin'));
  t.notOk(await silent('cross-site'), 'a page of another site cannot make a code');
  for (const headers of [{ origin: 'https://evil.example' }, { origin: 'null' }, { 'sec-fetch-site': 'cross-site' }]) {
    const answer = await from(headers);
    t.strictSame([answer.status, (answer.body as { error_code: string }).error_code], [403, 'csrf_rejected']);
  }
});

void t.test(
  'form bodies: another type, an invalid escape, too many fields and a repeated field are 400, too large is 413',
  async (t) => {
    const forge = await sharedForge(t);
    const { client: user } = await forge.createUser('visitor');
    const app = await makeApp(user);
    const path = `${paths.authorize}?${encoded(requestOf(app, keys))}`;
    const sent = (raw: string, type = formType['content-type'] as string) =>
      user.post(path, { raw, headers: { 'content-type': type } });
    for (const [what, answer] of Object.entries({
      json: await sent('{"decision":"allow"}', 'application/json'),
      escape: await sent('decision=%zz'),
      bytes: await sent('decision=%ff'),
      repeated: await sent('decision=allow&decision=cancel'),
      many: await sent('a=b&'.repeat(200)),
    }))
      t.strictSame([answer.status, errorOf(answer)], [400, 'invalid_request'], what);
    t.equal((await sent(`decision=${'x'.repeat(70_000)}`)).status, 413);
    for (const parameters of ['; charset=UTF-8', ';charset=latin1', '; version=1; a="b;c"'])
      t.equal((await sent('decision=allow', formType['content-type'] + parameters)).status, 200, parameters);
  },
);

void t.test('a code becomes invalid with its session, its user and its client', async (t) => {
  const forge = await startTestForge(t);
  const admin = await forge.administrator();
  const { client: owner } = await forge.createUser('owner');
  const app = await makeApp(owner);
  const outcome = async (end: (user: { id: string; username: string }, client: typeof owner) => Promise<unknown>) => {
    const user = await forge.createUser();
    const { code, keys: own } = await codeFor(user.client, app);
    await end(user, user.client);
    const answer = await exchange(forge, app, code, own);
    return [answer.status, errorOf(answer)];
  };
  t.strictSame(await outcome((_user, client) => client.post('/api/v1/auth/logout')), [400, 'invalid_grant'], 'logout');
  const put = (id: string, body: object) => admin.patch(`/api/v1/admin/users/${id}`, { body });
  t.strictSame(await outcome(({ id }) => put(id, { status: 'suspended' })), [400, 'invalid_grant'], 'suspension');
  t.strictSame(
    await outcome(({ id }) => admin.delete(`/api/v1/admin/users/${id}`)),
    [400, 'invalid_grant'],
    'deletion',
  );
  t.strictSame(
    await outcome((_user, client) => client.delete(`${paths.grants}/${app.clientId}`)),
    [400, 'invalid_grant'],
    'the grant is revoked',
  );
  t.strictSame(
    await outcome(() => admin.post(`${paths.adminApps}/${app.id}/suspend`)),
    [401, 'invalid_client'],
    'the client is suspended',
  );
  t.strictSame(
    await outcome(async () => undefined).catch(() => 'refused'),
    'refused',
    'a suspended client gets no code',
  );
});
