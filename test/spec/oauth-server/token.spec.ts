// Tests of oauthToken, oauthRevoke and oauthIntrospect.
import t from 'tap';
import type { Answer } from '#test/support/clients/client';
import { sharedForge } from '#test/support/shared-forge';
import { startTestForge } from '#test/support/forge';
import {
  basic,
  codeFor,
  encoded,
  exchange,
  formType,
  introspect,
  makeApp,
  paths,
  pkce,
  postForm,
  proof,
  refresh,
  setSetting,
  tokensFor,
  works,
  type App,
  type Tokens,
} from './flow.ts';

const errorOf = (answer: Answer): unknown => (answer.body as { error?: unknown } | undefined)?.error;
const told = (answer: Answer): readonly unknown[] => [answer.status, errorOf(answer)];
const invalidGrant = [400, 'invalid_grant'];

void t.test('authorization_code: 200 with the token response, not to be stored', async (t) => {
  const forge = await sharedForge(t);
  const { client: visitor } = await forge.createUser('visitor');
  const app = await makeApp(visitor);
  const { code, keys } = await codeFor(visitor, app, { scope: 'read:user openid', nonce: 'n-1' });
  const answer = await exchange(forge, app, code, keys);
  t.equal(answer.status, 200);
  t.strictSame([answer.headers.get('cache-control'), answer.headers.get('pragma')], ['no-store', 'no-cache']);
  t.match(answer.body, {
    access_token: /^svc_oat_[0-9A-Za-z]{36}$/,
    refresh_token: /^svc_ort_[0-9A-Za-z]{36}$/,
    token_type: 'Bearer',
    expires_in: 3600,
    scope: 'read:user openid',
    id_token: /^[\w-]+\.[\w-]+\.[\w-]+$/,
  });
  const plain = await tokensFor(forge, visitor, app, { scope: 'read:user' });
  t.notOk('id_token' in plain, 'an ID token only with openid');
});

void t.test('client authentication: Basic or body, not both; a public client has neither', async (t) => {
  const forge = await sharedForge(t);
  const { client: visitor } = await forge.createUser('visitor');
  const app = await makeApp(visitor);
  const open = await makeApp(visitor, { confidential: false });
  const other = await makeApp(visitor);
  const secret = app.secret ?? '';
  const fields = { grant_type: 'refresh_token', refresh_token: 'svc_ort_x' };
  const asked = (over: Readonly<Record<string, string | undefined>>, headers = {}) =>
    postForm(forge.anonymous, paths.token, { ...fields, ...over }, headers);
  t.strictSame(told(await asked({}, basic(app.clientId, secret))), invalidGrant, 'Basic');
  t.strictSame(
    told(await asked({ client_id: app.clientId }, basic(app.clientId, secret))),
    invalidGrant,
    'also with its id in the body',
  );
  t.strictSame(told(await asked(proof(app))), invalidGrant, 'body');
  t.strictSame(told(await asked({ client_id: open.clientId })), invalidGrant, 'public');
  const refused = {
    nothing: await asked({}),
    unknown: await asked({ client_id: 'nobody', client_secret: secret }),
    'a wrong secret': await asked({ client_id: app.clientId, client_secret: other.secret }),
    'no secret': await asked({ client_id: app.clientId }),
    'a public client with a secret': await asked({ client_id: open.clientId, client_secret: 'x' }),
  };
  for (const [what, answer] of Object.entries(refused)) {
    t.strictSame(told(answer), [401, 'invalid_client'], what);
    t.equal(answer.text, refused.nothing.text, `${what}: the same answer`);
    t.match(answer.headers.get('www-authenticate'), /^Basic realm=/, `${what}: has a challenge`);
  }
  for (const [what, headers] of Object.entries({
    'a wrong secret': basic(app.clientId, 'x'),
    'a public client': basic(open.clientId, ''),
    'no pair': { authorization: 'Basic !!' },
    'no colon': { authorization: `Basic ${Buffer.from(app.clientId).toString('base64')}` },
    'an id with NUL': basic(`${app.clientId}\0`, secret),
    'a secret with NUL': basic(app.clientId, `${secret}\0`),
    'bytes that are not valid UTF-8': { authorization: `Basic ${Buffer.from('%ff:%ff').toString('base64')}` },
    'an id of 8,000 characters': basic('x'.repeat(8000), secret),
    'a bearer token': { authorization: `Bearer ${secret}` },
  })) {
    const answer = await asked({}, headers);
    t.strictSame(told(answer), [401, 'invalid_client'], `Basic, ${what}`);
    t.match(answer.headers.get('www-authenticate'), /^Basic realm=/, 'has a challenge');
  }
  t.strictSame(told(await asked(proof(app), basic(app.clientId, secret))), [400, 'invalid_request'], 'both');
  t.strictSame(told(await asked({ client_id: other.clientId }, basic(app.clientId, secret))), [400, 'invalid_request']);
});

void t.test(
  '400: parameters that are malformed, missing, repeated or in the query, and bodies of another type',
  async (t) => {
    const forge = await sharedForge(t);
    const { client: visitor } = await forge.createUser('visitor');
    const app = await makeApp(visitor);
    const { code, keys } = await codeFor(visitor, app);
    const good = {
      grant_type: 'authorization_code',
      code,
      redirect_uri: app.redirectUri,
      code_verifier: keys.verifier,
    };
    const sent = (over: Readonly<Record<string, string | undefined>>) =>
      postForm(forge.anonymous, paths.token, { ...good, ...proof(app), ...over });
    for (const [what, answer, error] of [
      ['no grant_type', await sent({ grant_type: undefined }), 'invalid_request'],
      ['an empty one', await sent({ grant_type: '' }), 'invalid_request'],
      ['client_credentials', await sent({ grant_type: 'client_credentials' }), 'unsupported_grant_type'],
      ['password', await sent({ grant_type: 'password' }), 'unsupported_grant_type'],
      ['implicit', await sent({ grant_type: 'implicit' }), 'unsupported_grant_type'],
      ['constructor', await sent({ grant_type: 'constructor' }), 'unsupported_grant_type'],
      ['no code', await sent({ code: undefined }), 'invalid_request'],
      ['no redirect_uri', await sent({ redirect_uri: undefined }), 'invalid_request'],
      ['no code_verifier', await sent({ code_verifier: undefined }), 'invalid_request'],
      ['no refresh_token', await sent({ grant_type: 'refresh_token' }), 'invalid_request'],
      [
        'a repeated field',
        await forge.anonymous.post(paths.token, {
          raw: `${encoded({ ...good, ...proof(app) })}&code=x`,
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
        }),
        'invalid_request',
      ],
      ['JSON', await forge.anonymous.post(paths.token, { body: { ...good, ...proof(app) } }), 'invalid_request'],
      [
        'a secret in the query',
        await postForm(forge.anonymous, `${paths.token}?client_secret=x`, { ...good, ...proof(app) }),
        'invalid_request',
      ],
    ] as const)
      t.strictSame(told(answer), [400, error], what);
    t.equal(
      (
        await forge.anonymous.post(paths.token, {
          raw: 'x'.repeat(70_000),
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
        })
      ).status,
      413,
    );
    t.equal((await forge.anonymous.get(paths.token)).status, 405);
    t.equal((await sent({ unknown: 'ignored' })).status, 200, 'none of these requests used up the code');
  },
);

void t.test('a code is bound to client, redirect_uri, verifier and resource, and is valid once', async (t) => {
  const forge = await sharedForge(t);
  const { client: visitor } = await forge.createUser('visitor');
  const app = await makeApp(visitor);
  const other = await makeApp(visitor);
  const resource = `${forge.url}/api/v1/mcp/visitor/repo`;
  const { code, keys } = await codeFor(visitor, app, { scope: 'read:user', resource });
  t.strictSame(told(await exchange(forge, other, code, keys)), invalidGrant, 'another client');
  t.strictSame(
    told(await exchange(forge, app, code, keys, { redirect_uri: 'https://app.example/other' })),
    invalidGrant,
  );
  t.strictSame(told(await exchange(forge, app, code, pkce())), invalidGrant, 'another verifier');
  t.strictSame(told(await exchange(forge, app, code, keys, { resource: `${forge.url}/api/v1/mcp/a/b` })), [
    400,
    'invalid_target',
  ]);
  const answer = await exchange(forge, app, code, keys, { resource });
  t.equal(answer.status, 200, 'failed attempts did not use up the code');
  const issued = answer.body as Tokens;
  t.match((await introspect(forge, app, issued.access_token)).body, { active: true, aud: resource });
  t.strictSame(told(await exchange(forge, app, code, keys)), invalidGrant, 'a second use');
  t.match(
    (await introspect(forge, app, issued.access_token)).body,
    { active: false },
    'revokes the tokens of the first use',
  );
  t.strictSame(told(await refresh(forge, app, issued.refresh_token)), invalidGrant);
});

void t.test('a code is void after five attempts that do not match it', async (t) => {
  const forge = await sharedForge(t);
  const { client: visitor } = await forge.createUser('visitor');
  const app = await makeApp(visitor);
  const { code, keys } = await codeFor(visitor, app);
  for (let attempt = 1; attempt <= 5; attempt += 1)
    t.strictSame(told(await exchange(forge, app, code, pkce())), invalidGrant);
  t.strictSame(told(await exchange(forge, app, code, keys)), invalidGrant);
});

void t.test(
  'refresh_token: rotates, can narrow scopes but not widen them; using one again ends its family',
  async (t) => {
    const forge = await sharedForge(t);
    const { client: visitor } = await forge.createUser('visitor');
    const app = await makeApp(visitor);
    const other = await makeApp(visitor);
    const first = await tokensFor(forge, visitor, app, { scope: 'read:user read:repo openid', nonce: 'once' });
    t.strictSame(told(await refresh(forge, other, first.refresh_token)), invalidGrant, 'of another client');
    t.strictSame(told(await refresh(forge, app, first.refresh_token, { scope: 'read:user email' })), [
      400,
      'invalid_scope',
    ]);
    t.strictSame(told(await refresh(forge, app, first.refresh_token, { resource: `${forge.url}/api/v1/mcp/a/b` })), [
      400,
      'invalid_target',
    ]);
    const narrowed = (await refresh(forge, app, first.refresh_token, { scope: 'read:user' })).body as Tokens;
    t.equal(narrowed.scope, 'read:user');
    t.not(narrowed.refresh_token, first.refresh_token);
    const second = (await refresh(forge, app, narrowed.refresh_token)).body as Tokens;
    t.equal(second.scope, 'read:user read:repo openid', 'the narrower scope applied only to that access token');
    t.ok(second.id_token);
    t.ok(await works(forge, first.access_token), 'rotation keeps access tokens');
    const replayed = await refresh(forge, app, first.refresh_token);
    t.strictSame(told(replayed), invalidGrant);
    t.match(replayed.text, /refresh token reuse detected/);
    for (const token of [first, narrowed, second]) t.notOk(await works(forge, token.access_token), 'all have ended');
    t.strictSame(told(await refresh(forge, app, second.refresh_token)), invalidGrant, 'the latest too');
    for (const broken of ['svc_ort_x', `${second.refresh_token.slice(0, -1)}_`, second.access_token, 'x'])
      t.strictSame(told(await refresh(forge, app, broken)), invalidGrant, broken);
  },
);

void t.test('using a refresh token again ends its family, whatever the other parameters are', async (t) => {
  const forge = await sharedForge(t);
  const { client: visitor } = await forge.createUser('visitor');
  const app = await makeApp(visitor);
  for (const over of [
    { scope: 'read:user email' },
    { scope: 'read:user  openid' },
    { resource: `${forge.url}/api/v1/mcp/a/b` },
    { resource: 'x' },
  ]) {
    const what = JSON.stringify(over);
    const first = await tokensFor(forge, visitor, app, { scope: 'read:user' });
    const second = (await refresh(forge, app, first.refresh_token)).body as Tokens;
    const replayed = await refresh(forge, app, first.refresh_token, over);
    t.strictSame(told(replayed), invalidGrant, what);
    t.match(replayed.text, /refresh token reuse detected/, what);
    t.notOk(await works(forge, second.access_token), what);
    t.strictSame(told(await refresh(forge, app, second.refresh_token)), invalidGrant, what);
  }
});

void t.test('scopes that the application has lost are neither issued nor shown', async (t) => {
  const forge = await sharedForge(t);
  const { client: visitor } = await forge.createUser('visitor');
  const app = await makeApp(visitor, { scopes: ['read:user', 'openid', 'email'] });
  const keep = (scopes: readonly string[]) => visitor.patch(`${paths.apps}/${app.id}`, { body: { scopes } });
  const [first, second] = [await codeFor(visitor, app), await codeFor(visitor, app)];
  await keep(['read:user']);
  const answer = await exchange(forge, app, first.code, first.keys);
  t.equal(answer.status, 200);
  const tokens = answer.body as Tokens;
  t.equal(tokens.scope, 'read:user');
  t.notOk('id_token' in tokens, 'nor an ID token');
  t.match((await introspect(forge, app, tokens.refresh_token)).body, { active: true, scope: 'read:user' });
  await keep(['openid']);
  t.match((await introspect(forge, app, tokens.access_token)).body, { active: true, scope: '' });
  t.equal((await forge.as(tokens.access_token).get('/api/v1/auth/me')).status, 403);
  await keep([]);
  t.strictSame(told(await refresh(forge, app, tokens.refresh_token)), invalidGrant, 'no scope is left');
  t.strictSame(told(await exchange(forge, app, second.code, second.keys)), invalidGrant);
});

void t.test('a token of one kind is not accepted as another kind', async (t) => {
  const forge = await sharedForge(t);
  const visitor = await forge.createUser('visitor');
  const app = await makeApp(visitor.client);
  const { code, keys } = await codeFor(visitor.client, app);
  const tokens = await tokensFor(forge, visitor.client, app, { scope: 'read:user openid' });
  const { token: session } = await forge.signIn(visitor.username, visitor.password);
  const { token: pat } = await forge.pat(visitor.client, ['repo:read']);
  const { access_token: access, refresh_token: renewing, id_token: idToken = '' } = tokens;
  const others = { access, session, pat, idToken, secret: app.secret ?? '' };
  for (const [what, token] of Object.entries({ ...others, code }))
    t.strictSame(told(await refresh(forge, app, token)), invalidGrant, `${what} as a refresh token`);
  for (const [what, token] of Object.entries({ ...others, renewing }))
    t.strictSame(told(await exchange(forge, app, token, keys)), invalidGrant, `${what} as a code`);
  for (const [what, token] of Object.entries({ renewing, idToken, code, secret: app.secret ?? '' }))
    t.equal((await forge.as(token).get('/api/v1/auth/me')).status, 401, `${what} as a bearer token`);
  for (const [what, token] of Object.entries({ session, pat, idToken, code }))
    t.strictSame((await introspect(forge, app, token)).body, { active: false }, `${what} introspected`);
  for (const token of [session, pat]) {
    t.equal((await postForm(forge.anonymous, paths.revoke, { token, ...proof(app) })).status, 200);
    t.equal((await forge.as(token).get('/api/v1/auth/me')).status, 200, 'it was not revoked by an application');
  }
  t.ok(await works(forge, access));
  t.equal((await exchange(forge, app, code, keys)).status, 200, 'none of these requests used up the code');
});

void t.test('a repeated parameter is refused; refusals are JSON and not to be stored', async (t) => {
  const forge = await sharedForge(t);
  const { client: visitor } = await forge.createUser('visitor');
  const app = await makeApp(visitor);
  const fields = {
    ...proof(app),
    grant_type: 'authorization_code',
    code: 'c',
    redirect_uri: app.redirectUri,
    code_verifier: pkce().verifier,
    refresh_token: 'r',
    scope: 'openid',
    resource: 'x',
  };
  const reference = { ...proof(app), token: 'x', token_type_hint: 'access_token' };
  for (const [path, once] of [
    [paths.token, fields],
    [paths.revoke, reference],
    [paths.introspect, reference],
  ] as const)
    for (const [name, value] of Object.entries(once)) {
      const raw = `${encoded(once)}&${encoded({ [name]: value })}`;
      const answer = await forge.anonymous.post(path, { raw, headers: formType });
      t.strictSame(told(answer), [400, 'invalid_request'], `${path} ${name}`);
      t.equal(answer.headers.get('cache-control'), 'no-store');
      t.match(answer.headers.get('content-type'), /^application\/json/);
    }
  const unproved = await postForm(forge.anonymous, paths.token, { ...fields, client_secret: 'x' });
  t.strictSame([unproved.status, unproved.headers.get('cache-control')], [401, 'no-store']);
});

void t.test('a suspended client gets the answer of an unknown one wherever clients authenticate', async (t) => {
  const forge = await sharedForge(t);
  const { client: visitor } = await forge.createUser('visitor');
  const app = await makeApp(visitor);
  const open = await makeApp(visitor, { confidential: false });
  const tokens = await tokensFor(forge, visitor, app);
  const admin = await forge.administrator();
  for (const { id } of [app, open]) await admin.post(`${paths.adminApps}/${id}/suspend`);
  for (const path of [paths.token, paths.revoke, paths.introspect])
    for (const by of [app, open]) {
      const form = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token, token: tokens.access_token };
      const answer = await postForm(forge.anonymous, path, { ...form, ...proof(by) });
      const unknown = await postForm(forge.anonymous, path, { ...form, client_id: 'nobody', client_secret: 'x' });
      t.strictSame(told(answer), [401, 'invalid_client'], path);
      t.equal(answer.text, unknown.text, path);
    }
});

void t.test('settings: a changed lifetime applies to new tokens; 0 issues no refresh tokens', async (t) => {
  const forge = await startTestForge(t);
  const { client: visitor } = await forge.createUser('visitor');
  const app = await makeApp(visitor);
  await setSetting(forge, 'oauth2.access_token_ttl', '120');
  await setSetting(forge, 'oauth2.refresh_token_ttl', '0');
  const tokens = await tokensFor(forge, visitor, app);
  t.equal(tokens.expires_in, 120);
  t.notOk('refresh_token' in tokens);
});

void t.test(
  'POST /revoke: always 200 for an authenticated client; a refresh token ends its family, an access token only itself',
  async (t) => {
    const forge = await sharedForge(t);
    const { client: visitor } = await forge.createUser('visitor');
    const app = await makeApp(visitor);
    const other = await makeApp(visitor);
    const revoke = (by: App, token: string | undefined, over = {}) =>
      postForm(forge.anonymous, paths.revoke, { token, ...proof(by), ...over });
    const one = await tokensFor(forge, visitor, app);
    t.equal((await revoke(other, one.access_token)).status, 200);
    t.equal((await revoke(other, one.refresh_token)).status, 200);
    t.ok(await works(forge, one.access_token), 'of another client: 200, and nothing changes');
    for (const token of ['unknown', 'svc_oat_x', 'svc_ort_x']) t.equal((await revoke(app, token)).status, 200, token);
    t.equal(
      (await revoke(app, one.access_token, { token_type_hint: 'refresh_token' })).status,
      200,
      'a wrong hint works',
    );
    t.notOk(await works(forge, one.access_token));
    const next = (await refresh(forge, app, one.refresh_token)).body as Tokens;
    t.ok(await works(forge, next.access_token), 'its family continues');
    t.equal((await revoke(app, next.refresh_token, { token_type_hint: 'nonsense' })).status, 200);
    t.notOk(await works(forge, next.access_token), 'a revoked refresh token ends the access tokens of its family');
    t.strictSame(told(await refresh(forge, app, next.refresh_token)), invalidGrant);
    t.equal((await revoke(app, next.refresh_token)).status, 200, 'a second revocation changes nothing');
    t.strictSame(told(await revoke(app, undefined)), [400, 'invalid_request'], 'without a token');
    t.strictSame(told(await revoke({ ...app, secret: 'wrong' }, 'x')), [401, 'invalid_client']);
    t.equal((await revoke(app, 'x'.repeat(60_000))).status, 200, 'a token of any length that a form allows');
    t.strictSame((await introspect(forge, app, 'x'.repeat(60_000))).body, { active: false });
    const long = await postForm(forge.anonymous, paths.revoke, { token: 'x'.repeat(70_000), ...proof(app) });
    t.equal(long.status, 413);
  },
);

void t.test(
  'POST /introspect: the documented members for a live token of the client, active: false for everything else',
  async (t) => {
    const forge = await sharedForge(t);
    const visitor = await forge.createUser('visitor');
    const app = await makeApp(visitor.client);
    const other = await makeApp(visitor.client);
    const open = await makeApp(visitor.client, { confidential: false });
    const tokens = await tokensFor(forge, visitor.client, app, { scope: 'read:user' });
    const answer = await introspect(forge, app, tokens.access_token);
    t.equal(answer.headers.get('cache-control'), 'no-store');
    t.equal(answer.headers.get('access-control-allow-origin'), null);
    t.match(answer.body, {
      active: true,
      scope: 'read:user',
      client_id: app.clientId,
      username: 'visitor',
      token_type: 'Bearer',
      sub: visitor.id,
      iss: forge.url,
      aud: forge.url,
    });
    const { exp, iat } = answer.body as { exp: number; iat: number };
    t.equal(exp - iat, 3600);
    const refreshing = await introspect(forge, app, tokens.refresh_token);
    t.match(refreshing.body, { active: true, client_id: app.clientId, sub: visitor.id });
    t.notOk('token_type' in (refreshing.body as object));
    const pat = await forge.pat(visitor.client, []);
    const session = await forge.signIn(visitor.username, visitor.password);
    for (const token of ['unknown', 'svc_oat_x', pat.token, session.token])
      t.strictSame((await introspect(forge, app, token)).body, { active: false }, token);
    t.strictSame((await introspect(forge, other, tokens.access_token)).body, { active: false }, 'of another client');
    t.strictSame(told(await introspect(forge, open, tokens.access_token)), [401, 'invalid_client'], 'a public client');
    t.strictSame(told(await postForm(forge.anonymous, paths.introspect, proof(app))), [400, 'invalid_request']);
    const next = (await refresh(forge, app, tokens.refresh_token)).body as Tokens;
    t.strictSame((await introspect(forge, app, tokens.refresh_token)).body, { active: false }, 'a used one');
    await postForm(forge.anonymous, paths.revoke, { token: next.refresh_token, ...proof(app) });
    t.strictSame((await introspect(forge, app, next.access_token)).body, { active: false }, 'revoked');
    t.equal((await postForm(forge.anonymous, paths.introspect, { token: 'x'.repeat(70_000) })).status, 413);
  },
);
