// Tests of overrides, which lower the budgets of groups for one target.
import t from 'tap';
import { nearlyFull } from '#test/support/wrapped-store';
import { aDay, asked, groups, isError, members, nobody, overrides, startMetered } from './world.ts';

interface Page {
  readonly items: readonly { readonly target_id: string; readonly scope: string }[];
  readonly total: number;
}

void t.test('/admin/rate-limits/overrides', async (t) => {
  const { forge, admin, patch, reset, override } = await startMetered(t);
  const ada = await forge.createUser('ada');
  const bob = await forge.createUser('bob');
  const remove = (kind: string, id: string, scope: string) => admin.delete(`${overrides}/${kind}/${id}/${scope}`);
  const listed = async (kind: string, query = '') => (await admin.get(`${overrides}/${kind}${query}`)).body as Page;
  const made = async (path: string, body: object) =>
    ((await ada.client.post(path, { body })).body as { readonly id: string }).id;
  const app = { name: 'app', redirect_uris: ['https://app.example/callback'] };
  /** One target of each kind. */
  const targets = {
    repos: await made('/api/v1/repos', { name: 'target' }),
    apps: await made('/api/v1/user/oauth2/apps', app),
    tokens: await made('/api/v1/user/tokens', { name: 'target', scopes: [] }),
    users: (await forge.createUser('eve')).id,
  };
  const kinds = ['repos', 'apps', 'tokens'] as const;

  await t.test('PUT for a user: 200, applies at once to all credentials of the user; DELETE: 204', async (t) => {
    const token = await forge.pat(ada.client, ['repo:read']);
    const { status, body } = await override('users', ada.id, 'api.read', {
      requests_per_window: 2,
      reason: 'a crawler',
    });
    t.equal(status, 200);
    const { updated_at: at, ...rest } = body as { updated_at: string };
    t.ok(Math.abs(Date.parse(at) - Date.now()) < 600_000);
    t.strictSame(rest, {
      kind: 'users',
      target_id: ada.id,
      scope: 'api.read',
      requests_per_window: 2,
      window_seconds: aDay,
      burst: 0,
      action: 'throttle',
      enabled: true,
      reason: 'a crawler',
    });
    t.strictSame(await asked(ada.client, 2), [200, 200]);
    t.equal((await token.get('/api/v1/auth/me')).status, 429);
    t.strictSame(await asked(bob.client, 3), [200, 200, 200], 'others are not affected');
    t.equal(
      (await override('users', ada.id, 'api.read', { requests_per_window: 50 })).status,
      200,
      'it replaces the previous override',
    );
    t.equal((await listed('users')).total, 1);
    t.strictSame(await asked(ada.client, 2), [200, 200]);
    const deleted = await remove('users', ada.id, 'api.read');
    t.strictSame([deleted.status, deleted.text], [204, '']);
    t.match(members(await ada.client.get('/api/v1/user')), { 'x-ratelimit-limit': '3000' });
    isError(t, await remove('users', ada.id, 'api.read'), 404, 'not_found');
  });

  await t.test('an override for a token limits only that token, in addition to the budget of its user', async (t) => {
    const [narrow, free] = [await forge.pat(ada.client, ['repo:read']), await forge.pat(ada.client, ['repo:read'])];
    const { items } = (await ada.client.get('/api/v1/user/tokens')).body as { items: { id: string }[] };
    t.ok(items.length >= 2);
    // The list does not show which id belongs to which token, so the test only asserts that one of the two is limited.
    for (const { id } of items) {
      await override('tokens', id, 'api.read', { requests_per_window: 0, enabled: false });
      t.equal((await narrow.get('/api/v1/auth/me')).status, 200);
    }
    const [newest] = items;
    for (const { id } of items) await remove('tokens', id, 'api.read');
    await override('tokens', newest?.id ?? '', 'api.read', { requests_per_window: 2 });
    const answers = [await asked(narrow, 4, '/api/v1/auth/me'), await asked(free, 4, '/api/v1/auth/me')];
    t.strictSame(answers.map((statuses) => statuses.join(' ')).sort(), ['200 200 200 200', '200 200 429 429']);
    t.strictSame(await asked(ada.client, 2), [200, 200], 'the session is not affected');
    await remove('tokens', newest?.id ?? '', 'api.read');
  });

  await t.test(
    'an override for a repository limits each of its callers, and applies after the access decision',
    async (t) => {
      const made = await ada.client.post('/api/v1/repos', { body: { name: 'hot', visibility: 'public' } });
      const { id } = made.body as { id: string };
      await ada.client.post('/api/v1/repos', { body: { name: 'cold', visibility: 'public' } });
      await override('repos', id, 'api.read', { requests_per_window: 1, burst: 1 });
      for (const client of [ada.client, bob.client, forge.anonymous])
        t.strictSame(await asked(client, 3, '/api/v1/repos/ada/hot'), [200, 200, 429]);
      const refused = await bob.client.get('/api/v1/repos/ada/hot/branches');
      isError(t, refused, 429, 'rate_limited');
      t.match(members(refused), { 'x-ratelimit-limit': '2', 'x-ratelimit-remaining': '0' });
      t.strictSame(await asked(bob.client, 3, '/api/v1/repos/ada/cold'), [200, 200, 200]);
      await ada.client.patch('/api/v1/repos/ada/hot', { body: { name: 'renamed' } });
      t.equal((await bob.client.get('/api/v1/repos/ada/renamed')).status, 429, 'under any of its names');
      await ada.client.patch('/api/v1/repos/ada/renamed', { body: { visibility: 'private' } });
      t.equal((await bob.client.get('/api/v1/repos/ada/renamed')).status, 404, 'a hidden repository is still 404');
      await remove('repos', id, 'api.read');
    },
  );

  await t.test('an override for a repository also limits git and live channels', async (t) => {
    const made = await ada.client.post('/api/v1/repos', { body: { name: 'pulled', visibility: 'public' } });
    const { id } = made.body as { id: string };
    await override('repos', id, 'api.read', { requests_per_window: 2 });
    await override('repos', id, 'api.write', { requests_per_window: 0 });
    const advertisement = '/ada/pulled.git/info/refs?service=git-upload-pack';
    t.strictSame(await asked(forge.anonymous, 3, advertisement), [200, 200, 429]);
    t.strictSame(await asked(bob.client, 3, '/ws/repos/ada/pulled/merges/1'), [404, 404, 429]);
    const pushed = await ada.client.post('/ada/pulled.git/git-receive-pack', {
      raw: '0000',
      headers: { 'content-type': 'application/x-git-receive-pack-request' },
    });
    t.equal(pushed.status, 429);
    for (const scope of ['api.read', 'api.write']) await remove('repos', id, scope);
  });

  await t.test('PUT: 422 if it exceeds the budget of the group', async (t) => {
    isError(
      t,
      await override('users', ada.id, 'api.read', { requests_per_window: 3001, window_seconds: 60 }),
      422,
      'unprocessable',
    );
    const most = { requests_per_window: 3000, window_seconds: 60 };
    isError(t, await override('users', ada.id, 'api.read', { ...most, burst: 1 }), 422, 'unprocessable');
    isError(t, await override('users', ada.id, 'api.read', { ...most, window_seconds: 59 }), 422, 'unprocessable');
    isError(t, await override('users', ada.id, 'api.read', { ...most, action: 'allow' }), 422, 'unprocessable');
    t.equal((await override('users', ada.id, 'api.read', most)).status, 200);
    for (const kind of kinds) {
      const set = (requests: number) =>
        override(kind, targets[kind], 'api.read', { requests_per_window: requests, window_seconds: 60 });
      isError(t, await set(12_001), 422, 'unprocessable', kind);
      t.equal((await set(12_000)).status, 200, kind);
    }
    await patch(groups.general, 'api.read', { requests_per_window: 100 });
    t.match(
      members(await ada.client.get('/api/v1/user')),
      { 'x-ratelimit-limit': '100' },
      'nor does it raise the budget later',
    );
    await reset(groups.general, 'api.read');
    for (const kind of kinds) t.equal((await remove(kind, targets[kind], 'api.read')).status, 204);
    await remove('users', ada.id, 'api.read');
  });

  await t.test('GET: 200 with the page envelope, the last changed first', async (t) => {
    for (const scope of ['api.read', 'api.write', 'api.expensive'])
      await override('apps', targets.apps, scope, { requests_per_window: 1 });
    const page = await listed('apps', '?per_page=2');
    t.match(page, { total: 3, page: 1, per_page: 2 });
    t.equal(page.items.length, 2);
    const rest = await listed('apps', '?per_page=2&page=2');
    t.strictSame([...page.items, ...rest.items].map(({ scope }) => scope).sort(), [
      'api.expensive',
      'api.read',
      'api.write',
    ]);
    t.match(await listed('tokens'), { items: [], total: 0, page: 1, per_page: 25 });
    isError(t, await admin.get(`${overrides}/groups`), 404, 'not_found');
  });

  await t.test(
    'PUT: 200 for a known repository, application, token or user; 404 for an unknown one, whatever the limit',
    async (t) => {
      const narrow = { requests_per_window: 1 };
      for (const [kind, id] of Object.entries(targets)) {
        t.equal((await override(kind, id, 'api.write', narrow)).status, 200, kind);
        t.equal((await override(kind, id.toUpperCase(), 'api.write', narrow)).status, 200, `${kind}, in upper case`);
        t.equal((await remove(kind, id, 'api.write')).status, 204, kind);
        for (const other of [nobody, ...Object.values(targets).filter((one) => one !== id)])
          for (const body of [narrow, { requests_per_window: 1_000_000 }])
            isError(t, await override(kind, other, 'api.write', body), 404, 'not_found', kind);
      }
    },
  );

  await t.test('PUT and DELETE: 400 malformed, 404 for an unknown user, kind or scope', async (t) => {
    for (const body of [
      { requests_per_window: null },
      { requests_per_window: -1 },
      { requests_per_window: 1, burst: '1' },
    ])
      isError(t, await override('users', ada.id, 'api.read', body), 400, 'validation_failed', JSON.stringify(body));
    isError(t, await admin.put(`${overrides}/users/${ada.id}/api.read`, { body: {} }), 400, 'validation_failed');
    isError(
      t,
      await override('users', ada.id, 'api.read', { requests_per_window: 1, notes: '' }),
      400,
      'unknown_field',
    );
    isError(t, await override('users', 'ada', 'api.read', { requests_per_window: 1 }), 400, 'validation_failed');
    isError(t, await override('people', ada.id, 'api.read', { requests_per_window: 1 }), 404, 'not_found');
    isError(t, await remove('people', ada.id, 'api.read'), 404, 'not_found');
    isError(t, await override('users', nobody, 'api.read', { requests_per_window: 1 }), 404, 'not_found');
    isError(t, await override('users', ada.id, 'api.all', { requests_per_window: 1 }), 404, 'not_found');
    isError(t, await remove('users', 'ada', 'api.read'), 400, 'validation_failed');
    isError(t, await remove('users', ada.id, 'api.all'), 404, 'not_found');
  });

  await t.test('changes are audited with their reason', async (t) => {
    await override('users', bob.id, 'api.write', { requests_per_window: 3, reason: 'spam' });
    await remove('users', bob.id, 'api.write');
    const { entries } = (await admin.get('/api/v1/admin/audit-log?action=rate_limit_override')).body as {
      entries: { action: string }[];
    };
    const resource = `rate_limit_override:users/${bob.id}/api.write`;
    t.match(entries[0], { action: 'rate_limit_override.deleted', resource });
    t.match(entries[1], {
      action: 'rate_limit_override.set',
      resource,
      details: { kind: 'users', target_id: bob.id, scope: 'api.write', requests_per_window: 3, reason: 'spam' },
    });
  });
});

void t.test('if the plugin oauth-server is disabled, an override for an application is 404', async (t) => {
  const { override, forge } = await startMetered(t, { environment: { HEXFORGE_PLUGINS: '-oauth-server' } });
  isError(t, await override('apps', nobody, 'api.read', { requests_per_window: 1 }), 404, 'not_found');
  const { id } = await forge.createUser('ada');
  t.equal((await override('users', id, 'api.read', { requests_per_window: 1 })).status, 200);
});

void t.test('an instance has at most 2000 overrides, also with concurrent requests: one more is 422', async (t) => {
  const { forge, override } = await startMetered(t, { definitions: [await nearlyFull('limits', 'overrides', 1995)] });
  const users = await Promise.all(['ada', 'bob', 'eve'].map(async (name) => (await forge.createUser(name)).id));
  const scopes = ['api.read', 'api.write', 'api.expensive', 'mcp.tool_call'];
  const answers = await Promise.all(
    users.flatMap((id) => scopes.map((scope) => override('users', id, scope, { requests_per_window: 1 }))),
  );
  const refused = answers.filter(({ status }) => status !== 200);
  t.equal(refused.length, 7);
  for (const answer of refused) isError(t, answer, 422, 'unprocessable');
});
