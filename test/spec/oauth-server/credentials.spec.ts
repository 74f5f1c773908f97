// Tests of OAuth2 tokens as credentials: on REST by the scope of the route, on git as a Basic password, and at
// userinfo.
import t from 'tap';
import type { Answer } from '#test/support/clients/client';
import { isError } from '#test/support/clients/error-answer';
import { startTestForge, type TestForge } from '#test/support/forge';
import { onDatabase } from '#test/support/marks';
import { sharedForge } from '#test/support/shared-forge';
import { Command } from '#test/support/servers/command';
import { stockGit } from '#test/support/servers/stock-git';
import { makeApp, paths, refresh, tokensFor, works, type Tokens } from './flow.ts';

const basicOf = (username: string, password: string) => ({
  authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`,
});
const status = async (answer: Promise<Answer>): Promise<number> => (await answer).status;

async function world(t: Parameters<typeof sharedForge>[0]) {
  const forge = await sharedForge(t);
  const visitor = await forge.createUser('visitor');
  const app = await makeApp(visitor.client, {
    scopes: [
      'read:user',
      'read:repo',
      'write:repo',
      'admin:repo',
      'read:issue',
      'openid',
      'profile',
      'email',
      'mcp:read',
    ],
  });
  const tokens = (scope: string, over = {}): Promise<Tokens> =>
    tokensFor(forge, visitor.client, app, { scope, ...over });
  return { forge, visitor, app, tokens };
}

void t.test(
  'scope and permission are both needed; a wider scope includes the narrower one of its family',
  async (t) => {
    const { forge, visitor, tokens } = await world(t);
    const { client: other } = await forge.createUser('other');
    await visitor.client.post('/api/v1/repos', { body: { name: 'mine', visibility: 'private' } });
    await other.post('/api/v1/repos', { body: { name: 'theirs', visibility: 'private' } });
    const as = async (scope: string) => forge.as((await tokens(scope)).access_token);
    const [reading, writing, administering, profile] = [
      await as('read:repo'),
      await as('write:repo'),
      await as('admin:repo'),
      await as('read:user'),
    ];
    const mine = '/api/v1/repos/visitor/mine';
    for (const client of [reading, writing, administering]) t.equal(await status(client.get(mine)), 200);
    const refused = await profile.get(mine);
    isError(t, refused, 403, 'insufficient_scope', 'read:user');
    t.equal(refused.headers.get('www-authenticate'), 'Bearer error="insufficient_scope", scope="read:repo"');
    t.equal(await status(reading.post('/api/v1/repos', { body: { name: 'more' } })), 403);
    t.equal(await status(writing.post('/api/v1/repos', { body: { name: 'more' } })), 201);
    t.equal(await status(writing.patch(mine, { body: { description: 'x' } })), 403);
    t.equal(await status(administering.patch(mine, { body: { description: 'x' } })), 200);
    t.equal(await status(administering.get('/api/v1/repos/other/theirs')), 404, 'a scope is not a permission');
    t.equal(await status(profile.get('/api/v1/auth/me')), 200);
    t.equal(await status(reading.get('/api/v1/auth/me')), 403, 'not with read:repo');
    for (const path of ['/api/v1/user/tokens', paths.apps, paths.grants, '/api/v1/admin/users', paths.adminApps])
      t.equal(await status(administering.get(path)), 403, `${path} accepts no OAuth2 token`);
  },
);

void t.test(
  'a token that is malformed, unknown, revoked or not an access token gives 401, also on public data',
  async (t) => {
    const { forge, tokens } = await world(t);
    const { access_token: good, refresh_token: other } = await tokens('read:user');
    const broken = good.slice(0, -1) + (good.endsWith('A') ? 'B' : 'A');
    for (const token of [broken, 'svc_oat_x', `svc_oat_${'0'.repeat(36)}`, other]) {
      const answer = await forge.as(token).get('/api/v1/repos');
      isError(t, answer, 401, 'unauthorized', token.slice(0, 8));
      t.equal(answer.headers.get('www-authenticate'), 'Bearer error="invalid_token"');
    }
    t.equal(await status(forge.anonymous.get(`/api/v1/auth/me?access_token=${good}`)), 401, 'not in the query');
    t.equal(await status(forge.anonymous.get('/api/v1/auth/me', { headers: basicOf('x', good) })), 401, 'not in Basic');
    t.equal(
      await status(forge.anonymous.get('/api/v1/auth/me', { headers: { cookie: `svc_access_token=${good}` } })),
      401,
    );
    const cased = { headers: { authorization: `bEaReR ${good}` } };
    t.equal(await status(forge.anonymous.get('/api/v1/auth/me', cased)), 200, 'the scheme ignoring case');
  },
);

void t.test('a token bound to a resource is 403 invalid_audience everywhere else', async (t) => {
  const { forge, visitor, tokens } = await world(t);
  await visitor.client.post('/api/v1/repos', { body: { name: 'mine' } });
  const { access_token: token } = await tokens('read:user read:repo openid', {
    resource: `${forge.url}/api/v1/mcp/visitor/mine`,
  });
  const bound = forge.as(token);
  for (const path of ['/api/v1/auth/me', '/api/v1/repos', '/api/v1/repos/visitor/mine', paths.userinfo])
    isError(t, await bound.get(path), 403, 'invalid_audience', path);
  const git = await forge.anonymous.get('/visitor/mine.git/info/refs?service=git-upload-pack', {
    headers: basicOf('x-oauth-token', token),
  });
  t.equal(git.status, 403);
});

void t.test('git over HTTP: the token as the Basic password, with the scope of the service', async (t) => {
  const { forge, visitor, tokens } = await world(t);
  await visitor.client.post('/api/v1/repos', { body: { name: 'mine', visibility: 'private' } });
  const git = await stockGit(t);
  const at = (user: string, token: string): string =>
    `${forge.url.replace('http://', `http://${user}:${token}@`)}/visitor/mine.git`;
  const [reading, writing, profile] = [
    await tokens('read:repo'),
    await tokens('write:repo'),
    await tokens('read:user'),
  ];
  await git.git('init', '-q', '-b', 'main');
  await git.commit('first', { 'a.txt': 'a' });
  t.not(
    (await git.ran('push', '-q', at('x-oauth-token', reading.access_token), 'main')).code,
    0,
    'read:repo cannot push',
  );
  await git.git('push', '-q', at('x-oauth-token', writing.access_token), 'main');
  await git.git('ls-remote', at('anybody', reading.access_token));
  t.not(
    (await git.ran('ls-remote', at('x-oauth-token', profile.access_token))).code,
    0,
    'read:user cannot read repositories',
  );
  const refs = '/visitor/mine.git/info/refs?service=git-upload-pack';
  t.equal(await status(forge.as(reading.access_token).get(refs)), 200, 'as a bearer token too');
  t.equal(await status(forge.as(profile.access_token).get(refs)), 403, 'with the same scope');
});

void t.test('GET and POST /userinfo: claims by scope', async (t) => {
  const { forge, visitor, tokens } = await world(t);
  const info = async (scope: string) => {
    const client = forge.as((await tokens(scope)).access_token);
    const [got, posted] = [await client.get(paths.userinfo), await client.post(paths.userinfo)];
    t.strictSame(posted.body, got.body);
    t.equal(got.headers.get('access-control-allow-origin'), '*');
    t.equal(got.headers.get('cache-control'), 'no-store');
    return got.body;
  };
  t.strictSame(await info('openid'), { sub: visitor.id });
  t.match(await info('openid profile'), {
    sub: visitor.id,
    preferred_username: 'visitor',
    name: 'visitor',
    updated_at: Number,
  });
  t.strictSame(await info('openid email'), { sub: visitor.id, email: 'visitor@example.com', email_verified: true });
  for (const method of ['GET', 'POST']) {
    const without = await forge.as((await tokens('read:user')).access_token).request(method, paths.userinfo);
    isError(t, without, 403, 'insufficient_scope', 'without openid');
    t.equal((await forge.anonymous.request(method, paths.userinfo)).status, 401);
  }
});

void t.test('suspension, deletion, revoke-tokens and a new password end every token at the next request', async (t) => {
  const forge: TestForge = await startTestForge(t);
  const admin = await forge.administrator();
  const { client: owner } = await forge.createUser('owner');
  const app = await makeApp(owner);
  const users = '/api/v1/admin/users';
  const ends: Readonly<Record<string, (id: string) => Promise<Answer>>> = {
    suspension: (id) => admin.patch(`${users}/${id}`, { body: { status: 'suspended' } }),
    deletion: (id) => admin.delete(`${users}/${id}`),
    'revoke-tokens': (id) => admin.post(`${users}/${id}/revoke-tokens`),
    'a new password': (id) => admin.post(`${users}/${id}/password`, { body: { password: 'another password' } }),
  };
  for (const [what, end] of Object.entries(ends)) {
    const user = await forge.createUser();
    const tokens = await tokensFor(forge, user.client, app);
    t.ok(await works(forge, tokens.access_token));
    const answer = await end(user.id);
    t.ok(answer.status < 300, `${what}: ${answer.status} ${answer.text}`);
    t.equal(await status(forge.as(tokens.access_token).get('/api/v1/repos')), 401, what);
    t.equal(await status(refresh(forge, app, tokens.refresh_token)), 400, what);
    if (what === 'suspension') {
      await admin.patch(`${users}/${user.id}`, { body: { status: 'active' } });
      t.equal(await status(forge.as(tokens.access_token).get('/api/v1/repos')), 401, 'they remain revoked');
    }
  }
});

void t.test('tokens, and the record of used refresh tokens, survive a restart', async (t) => {
  const before = await startTestForge(t);
  const visitor = await before.createUser('visitor');
  const app = await makeApp(visitor.client);
  const first = await tokensFor(before, visitor.client, app);
  const second = (await refresh(before, app, first.refresh_token)).body as Tokens;
  const keys = (await before.anonymous.get('/.well-known/jwks.json')).body;
  await before.stop();
  const after = await startTestForge(t, { after: before });
  t.strictSame((await after.anonymous.get('/.well-known/jwks.json')).body, keys);
  t.ok(await works(after, second.access_token));
  t.match((await refresh(after, app, first.refresh_token)).text, /reuse detected/);
  t.notOk(await works(after, second.access_token));
});

void onDatabase(t).test('a password reset on the command line while no server runs ends every token', async (t) => {
  const before = await startTestForge(t);
  const admin = await before.administrator();
  const app = await makeApp(admin);
  const tokens = await tokensFor(before, admin, app);
  await before.stop();
  const reset = new Command(t, ['admin', 'reset-password', 'admin'], {
    cwd: before.dataDir,
    environment: {
      HEXFORGE_DATA_DIR: before.dataDir,
      ...(before.databaseUrl !== undefined && { DATABASE_URL: before.databaseUrl }),
    },
  });
  t.equal(await reset.ended(), 0, reset.stderr);
  const after = await startTestForge(t, { after: before });
  t.notOk(await works(after, tokens.access_token));
  t.equal(await status(refresh(after, app, tokens.refresh_token)), 400);
});
