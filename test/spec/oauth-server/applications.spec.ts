// Tests of self-service OAuth2 applications, of their administration, and of grants.
import t from 'tap';
import type { Answer } from '#test/support/clients/client';
import { isError } from '#test/support/clients/error-answer';
import { startTestForge } from '#test/support/forge';
import { nearlyFull } from '#test/support/wrapped-store';
import { sharedForge } from '#test/support/shared-forge';
import { callback, grantAdminScope, makeApp, paths, refresh, tokensFor, works, type Tokens } from './flow.ts';

const nobody = '00000000-0000-4000-8000-0000000000ff';
const status = async (answer: Promise<Answer>): Promise<number> => (await answer).status;

void t.test('POST: 201 with the application object, and with the secret only this once', async (t) => {
  const forge = await sharedForge(t);
  const { client: owner } = await forge.createUser('owner');
  const made = await owner.post(paths.apps, {
    body: {
      name: 'Notes',
      description: 'Keeps notes',
      homepage_url: 'https://notes.example',
      redirect_uris: `${callback}\n https://app.example/other`,
      scopes: ['read:user', 'openid'],
    },
  });
  t.equal(made.status, 201);
  t.equal(made.headers.get('cache-control'), 'no-store');
  const { id, client_id, client_secret, created_at, updated_at, ...rest } = made.body as Record<string, string>;
  t.match(client_secret, /^[0-9A-Za-z]{43}$/);
  t.equal(created_at, updated_at);
  t.strictSame(rest, {
    name: 'Notes',
    description: 'Keeps notes',
    homepage_url: 'https://notes.example',
    logo_url: '',
    redirect_uris: [callback, 'https://app.example/other'],
    scopes: ['read:user', 'openid'],
    confidential: true,
    suspended: false,
    owner: 'owner',
  });
  const shown = await owner.get(`${paths.apps}/${id}`);
  t.strictSame(shown.body, { id, client_id, created_at, updated_at, ...rest }, 'later without the secret');
  t.match((await owner.get(paths.apps)).body, { total: 1, page: 1, per_page: 25, items: [{ id }] });
  const open = await owner.post(paths.apps, { body: { name: 'Open', redirect_uris: [callback], confidential: false } });
  t.match(open.body, { confidential: false, scopes: ['openid', 'profile', 'email', 'read:user', 'mcp:read'] });
  t.notOk('client_secret' in (open.body as object));
});

void t.test('400: invalid names, links, redirects and scopes; unknown fields', async (t) => {
  const forge = await sharedForge(t);
  const { client: owner } = await forge.createUser('owner');
  const good = { name: 'Notes', redirect_uris: [callback], scopes: ['read:user'] };
  const cases: readonly (readonly [string, object, string])[] = [
    ['no name', { name: undefined }, 'validation_failed'],
    ['a blank name', { name: ' ' }, 'validation_failed'],
    ['a name with a right-to-left override', { name: 'a\u202Eb' }, 'validation_failed'],
    ['a description with a bell', { description: 'a\u0007' }, 'validation_failed'],
    ['a javascript: homepage', { homepage_url: 'javascript:alert(1)' }, 'validation_failed'],
    ['a data: logo', { logo_url: 'data:image/png;base64,AA' }, 'validation_failed'],
    ['an http logo', { logo_url: 'http://192.168.0.1/logo.png' }, 'validation_failed'],
    ['no redirects', { redirect_uris: undefined }, 'validation_failed'],
    ['an empty list', { redirect_uris: [] }, 'validation_failed'],
    ['blank redirects', { redirect_uris: ' ' }, 'validation_failed'],
    ['an http redirect', { redirect_uris: ['http://app.example/callback'] }, 'validation_failed'],
    ['a redirect with a fragment', { redirect_uris: [`${callback}#a`] }, 'validation_failed'],
    ['an unknown scope', { scopes: ['read:everything'] }, 'unknown_scope'],
    ['a text for scopes', { scopes: 'read:user' }, 'validation_failed'],
    ['an unknown field', { owner: 'root' }, 'unknown_field'],
  ];
  for (const [what, over, code] of cases)
    isError(t, await owner.post(paths.apps, { body: { ...good, ...over } }), 400, code, what);
  const { id } = await makeApp(owner);
  for (const [what, over, code] of cases.filter(([, over]) => !Object.values(over).includes(undefined)))
    isError(t, await owner.patch(`${paths.apps}/${id}`, { body: over }), 400, code, `PATCH, ${what}`);
});

void t.test('PATCH, rotate-secret, DELETE: only the owner, others get 404', async (t) => {
  const forge = await sharedForge(t);
  const { client: owner } = await forge.createUser('owner');
  const { client: other } = await forge.createUser('other');
  const app = await makeApp(owner);
  const one = `${paths.apps}/${app.id}`;
  for (const path of [one, `${paths.apps}/${nobody}`]) {
    t.equal(await status(other.get(path)), 404);
    t.equal(await status(other.patch(path, { body: { name: 'Mine' } })), 404);
    t.equal(await status(other.post(`${path}/rotate-secret`)), 404);
    t.equal(await status(other.delete(path)), 404);
  }
  const changed = await owner.patch(one, { body: { name: 'Renamed', redirect_uris: callback } });
  t.match(changed.body, { name: 'Renamed', redirect_uris: [callback] });
  t.strictSame(
    (await owner.patch(one, { body: { name: 'Renamed' } })).body,
    changed.body,
    'the same value changes nothing',
  );

  const tokens = await tokensFor(forge, other, app, { scope: 'read:user read:repo' });
  const rotated = await owner.post(`${one}/rotate-secret`);
  t.equal(rotated.status, 200);
  t.strictSame(Object.keys(rotated.body as object), ['client_secret']);
  t.equal(await status(refresh(forge, app, tokens.refresh_token)), 401, 'the old secret is no longer valid');
  const renewed = { ...app, secret: (rotated.body as { client_secret: string }).client_secret };
  const next = (await refresh(forge, renewed, tokens.refresh_token)).body as Tokens;
  t.ok(await works(forge, next.access_token));

  await owner.patch(one, { body: { scopes: ['read:repo'] } });
  t.equal(
    await status(forge.as(next.access_token).get('/api/v1/auth/me')),
    403,
    'a scope that is removed from the application is removed from its tokens at once',
  );
  const last = (await refresh(forge, renewed, next.refresh_token)).body as Tokens;
  t.equal(last.scope, 'read:repo');
  t.equal(await status(owner.delete(one)), 204);
  t.equal(await status(forge.as(last.access_token).get('/api/v1/repos')), 401, 'its tokens are revoked with it');
  t.equal(await status(owner.get(one)), 404);
  const open = await makeApp(owner, { confidential: false });
  isError(t, await owner.post(`${paths.apps}/${open.id}/rotate-secret`), 409, 'conflict', 'a public client');
});

void t.test('422 past a hundred applications of one user', async (t) => {
  const forge = await startTestForge(t, { definitions: [await nearlyFull('oauth-server', 'clients', 99)] });
  const { client: owner } = await forge.createUser('owner');
  await makeApp(owner);
  const body = { name: 'One more', redirect_uris: [callback] };
  isError(t, await owner.post(paths.apps, { body }), 422, 'unprocessable', 'the next one');
});

void t.test('/admin/oauth2/apps needs admin:oauth2, which super-admins have', async (t) => {
  const forge = await startTestForge(t);
  const admin = await forge.administrator();
  const { client: delegate, id } = await forge.createUser('delegate');
  const refused = await delegate.get(paths.adminApps);
  t.strictSame(
    [refused.status, (refused.body as { error: string }).error],
    [403, 'admin scope required: admin:oauth2'],
  );
  await grantAdminScope(admin, id, 'admin:users');
  t.equal(await status(delegate.get(paths.adminApps)), 403, 'another admin scope is not enough');
  await grantAdminScope(admin, id, 'admin:oauth2');
  t.equal(await status(delegate.get(paths.adminApps)), 200);
  t.equal(await status((await forge.pat(admin, ['repo:admin'])).get(paths.adminApps)), 403);
  t.equal(await status((await forge.pat(admin, ['admin:system'])).get(paths.adminApps)), 200);
});

void t.test('/admin/oauth2/apps: list and search, inspect, suspend, unsuspend, grants, audit, delete', async (t) => {
  const forge = await sharedForge(t);
  const admin = await forge.administrator();
  const visitor = await forge.createUser('visitor');
  const notes = await makeApp(visitor.client, { name: 'Notes' });
  const other = await makeApp(visitor.client, { name: 'Other' });
  t.match((await admin.get(`${paths.adminApps}?per_page=1`)).body, {
    total: 2,
    per_page: 1,
    items: [{ name: 'Notes' }],
  });
  t.match((await admin.get(`${paths.adminApps}?q=NOT`)).body, {
    total: 1,
    items: [{ id: notes.id, owner: 'visitor' }],
  });
  t.match((await admin.get(`${paths.adminApps}?q=${other.clientId}`)).body, { total: 1, items: [{ id: other.id }] });
  t.match((await admin.get(`${paths.adminApps}?q=%25`)).body, { total: 0 }, 'a text, not a pattern');
  const one = `${paths.adminApps}/${notes.id}`;
  t.match((await admin.get(one)).body, { client_id: notes.clientId });

  const tokens = await tokensFor(forge, visitor.client, notes, { scope: 'read:user' });
  t.match((await admin.get(`${one}/grants`)).body, {
    total: 1,
    items: [
      { user: { id: visitor.id, username: 'visitor' }, scopes: ['read:user'], resource: null, remembered: false },
    ],
  });
  t.match((await admin.post(`${one}/suspend`)).body, { suspended: true });
  t.equal(await status(admin.post(`${one}/suspend`)), 200, 'a second suspension changes nothing');
  t.notOk(await works(forge, tokens.access_token), 'every token ended at once');
  t.equal(await status(refresh(forge, notes, tokens.refresh_token)), 401);
  t.match((await admin.post(`${one}/unsuspend`)).body, { suspended: false });
  t.notOk(await works(forge, tokens.access_token), 'it remains revoked');
  t.equal(await status(refresh(forge, notes, tokens.refresh_token)), 400);

  const audit = (await admin.get(`${one}/audit`)).body as { items: { action: string; actor_username: string }[] };
  t.strictSame(
    audit.items.map(({ action, actor_username: who }) => `${action} by ${who}`),
    [
      'oauth_app.unsuspended by admin',
      'oauth_app.suspended by admin',
      'oauth_grant.approved by visitor',
      'oauth_app.created by visitor',
    ],
  );
  t.equal(await status(admin.delete(one)), 204);
  for (const path of [one, `${one}/grants`, `${paths.adminApps}/${nobody}`])
    t.equal(await status(admin.get(path)), 404);
  for (const act of ['suspend', 'unsuspend']) t.equal(await status(admin.post(`${one}/${act}`)), 404);
  t.equal(await status(admin.delete(one)), 404);
  t.match(
    (await admin.get(`${one}/audit`)).body,
    { items: [{ action: 'oauth_app.deleted' }] },
    'the audit trail remains',
  );
  t.equal(await status(admin.get(`${paths.adminApps}/none`)), 400);
});

void t.test('/user/oauth2/grants: the grants of the caller; DELETE revokes the tokens', async (t) => {
  const forge = await sharedForge(t);
  const { client: visitor } = await forge.createUser('visitor');
  const { client: other } = await forge.createUser('other');
  const app = await makeApp(other, { name: 'Notes' });
  const mine = await tokensFor(forge, visitor, app, { scope: 'read:user' });
  const theirs = await tokensFor(forge, other, app);
  t.match((await visitor.get(paths.grants)).body, {
    total: 1,
    items: [{ client_id: app.clientId, name: 'Notes', scopes: ['read:user'], resource: null, remembered: false }],
  });
  await tokensFor(forge, visitor, app, { scope: 'openid' });
  t.match(
    (await visitor.get(paths.grants)).body,
    { total: 1, items: [{ scopes: ['read:user', 'openid'] }] },
    'a later request for fewer scopes does not hide a scope that an older token has',
  );
  t.equal(await status(visitor.delete(`${paths.grants}/nobody`)), 404);
  t.equal(await status(visitor.delete(`${paths.grants}/${app.clientId}`)), 204);
  t.equal(await status(visitor.delete(`${paths.grants}/${app.clientId}`)), 404);
  t.match((await visitor.get(paths.grants)).body, { total: 0, items: [] });
  t.notOk(await works(forge, mine.access_token));
  t.equal(await status(refresh(forge, app, mine.refresh_token)), 400);
  t.ok(await works(forge, theirs.access_token), 'grants of others remain');
});

void t.test('an id that is not a uuid is 400 on every operation with an id', async (t) => {
  const forge = await sharedForge(t);
  const admin = await forge.administrator();
  const taking = forge.contract.operations.filter(({ path }) => /\/oauth2\/apps\/\{id\}/.test(path));
  t.equal(taking.length, 10);
  for (const { id, method, path } of taking) {
    const body = method === 'PATCH' ? { body: {} } : {};
    const answer = await admin.request(method, path.replace('{id}', 'none'), body);
    isError(t, answer, 400, 'validation_failed', id);
  }
});
