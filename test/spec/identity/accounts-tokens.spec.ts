// Tests of personal access tokens: creating, using, listing, deleting, and everything that ends them.
import { crc32 } from 'node:zlib';
import { definePlugin } from 'hexforge/plugin';
import t from 'tap';
import { startTestForge } from '#test/support/forge';

const tokens = '/api/v1/user/tokens';
const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const basic = (username: string, password: string) => ({
  authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`,
});

interface Created {
  readonly id: string;
  readonly token: string;
}

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const base62 = (value: number): string =>
  value === 0 ? '' : base62(Math.floor(value / 62)) + digits.charAt(value % 62);

void t.test('personal access tokens', async (t) => {
  const forge = await startTestForge(t);
  const { client } = await forge.createUser('ada');
  const create = (body: object) => client.post(tokens, { body: { name: 'laptop', scopes: ['repo:read'], ...body } });

  await t.test(
    'create answers 201 with { id, name, scopes, token, created_at, expires_at, last_used_at }',
    async (t) => {
      const answer = await create({ expires_at: '2099-01-01T00:00:00+02:00' });
      t.equal(answer.status, 201);
      t.strictSame(Object.keys(answer.body as object).sort(), [
        'created_at',
        'expires_at',
        'id',
        'last_used_at',
        'name',
        'scopes',
        'token',
      ]);
      t.match(answer.body, {
        name: 'laptop',
        scopes: ['repo:read'],
        created_at: instant,
        expires_at: '2098-12-31T22:00:00.000Z',
        last_used_at: null,
      });
      t.match((await create({ expires_at: '9999-12-31T23:59:59.999999999Z' })).body, {
        expires_at: '9999-12-31T23:59:59.999Z',
      });
      t.match((await create({})).body, { expires_at: null });
      t.match((await create({ expires_at: null })).body, { expires_at: null });
      t.equal(answer.headers.get('cache-control'), 'no-store');
    },
  );

  await t.test('a token is svc_ and 36 base62 characters whose last 6 are a CRC-32 checksum', async (t) => {
    const { token } = (await create({})).body as Created;
    t.match(token, /^svc_[0-9A-Za-z]{36}$/);
    t.equal(token.slice(-6), base62(crc32(token.slice(0, -6))).padStart(6, '0'));
  });

  await t.test('the raw token appears only in the answer that creates it', async (t) => {
    const { id, token } = (await create({ name: 'once' })).body as Created;
    const list = await client.get(`${tokens}?per_page=100`);
    t.equal(list.status, 200);
    t.notMatch(list.text, token);
    const {
      items,
      total,
      page,
      per_page: perPage,
    } = list.body as { items: Record<string, unknown>[]; total: number; page: number; per_page: number };
    t.strictSame([total, page, perPage], [items.length, 1, 100]);
    t.match(items[0], { id, name: 'once' }, 'newest first');
    t.strictSame(Object.keys(items[0] ?? {}).sort(), [
      'created_at',
      'expires_at',
      'id',
      'last_used_at',
      'name',
      'scopes',
    ]);
    t.notMatch(forge.output.stderr, token);
  });

  await t.test('the list has pages of 25 by default, and an invalid per_page is ignored', async (t) => {
    const perPage = async (query: string) =>
      ((await client.get(`${tokens}?${query}`)).body as { per_page: number }).per_page;
    for (const [query, expected] of [
      ['', 25],
      ['per_page=1', 1],
      ['per_page=100', 100],
      ['per_page=101', 25],
      ['per_page=0', 25],
      ['per_page=x', 25],
      ['per_page=', 25],
    ] as const)
      t.equal(await perPage(query), expected, query);
    t.match((await client.get(`${tokens}?page=0`)).body, { page: 1 });
    t.match((await client.get(`${tokens}?page=9000000000000000`)).body, { items: [] });
  });

  await t.test('an unknown scope is 400 unknown_scope', async (t) => {
    for (const scopes of [['nothing'], ['repo:read', 'read:repo'], ['*'], ['']])
      t.match(await create({ scopes }), { status: 400 }, JSON.stringify(scopes));
    t.match(await create({ scopes: ['repo:read', 'no:such'] }), {
      status: 400,
      body: { error_code: 'unknown_scope', detail: /no:such/ },
    });
  });

  await t.test('every documented scope is accepted', async (t) => {
    const scopes = [
      'repo:read',
      'repo:write',
      'repo:admin',
      'issue:read',
      'issue:write',
      'ci:read',
      'ci:write',
      'registry:read',
      'registry:write',
      'admin:users',
      'admin:system',
      'mcp:read',
      'mcp:write',
    ];
    t.match(await create({ scopes }), { status: 201, body: { scopes } });
    t.match(await create({ scopes: [] }), { status: 201, body: { scopes: [] } });
    t.match(await create({ scopes: ['repo:read', 'repo:read'] }), { status: 201, body: { scopes: ['repo:read'] } });
  });

  await t.test('400 for a bad name, a bad expiry or one in the past', async (t) => {
    for (const over of [
      { name: '' },
      { name: '  ' },
      { name: 'x'.repeat(101) },
      { name: 'two\nlines' },
      { scopes: 'repo:read' },
      { scopes: [1] },
      { expires_at: '2020-01-01T00:00:00Z' },
      { expires_at: '2099-01-01' },
      { expires_at: 'tomorrow' },
      { expires_at: 4070908800 },
      { expires_at: '2099-13-01T00:00:00Z' },
      { expires_at: '2099-02-30T00:00:00Z' },
      { expires_at: '2099-01-01T24:30:00Z' },
      { expires_at: '+275760-09-13T00:00:00Z' },
      { expires_at: '9999-12-31T23:59:59-00:01' },
      { expires_at: '2099-01-01T24:00:00Z' },
      { expires_at: '2099-01-01T00:00:60Z' },
    ]) {
      t.match(
        await create(over),
        { status: 400, body: { error_code: 'validation_failed' } },
        JSON.stringify(over).slice(0, 50),
      );
    }
    t.match(await client.post(tokens, { body: { name: 'x' } }), { status: 400 });
    t.match(await create({ user_id: 'x' }), { status: 400, body: { error_code: 'unknown_field' } });
  });

  await t.test('a PAT cannot create another PAT (403), nor list or delete them', async (t) => {
    const pat = await forge.pat(client, ['repo:admin', 'admin:users']);
    const { id } = (await create({})).body as Created;
    t.match(await pat.post(tokens, { body: { name: 'x', scopes: [] } }), {
      status: 403,
      body: { error_code: 'forbidden' },
    });
    t.equal((await pat.get(tokens)).status, 403);
    t.equal((await pat.delete(`${tokens}/${id}`)).status, 403);
  });

  await t.test(
    'a PAT is accepted as a bearer token, and as the password of HTTP Basic with any username',
    async (t) => {
      const { token } = await forge.pat(client, []);
      t.match((await forge.as(token).get('/api/v1/auth/me')).body, { username: 'ada' });
      for (const username of ['ada', 'anyone', '', 'admin'])
        t.match(
          (await forge.anonymous.get('/api/v1/auth/me', { headers: basic(username, token) })).body,
          { username: 'ada' },
          username,
        );
    },
  );

  await t.test('the last use of a token is recorded', async (t) => {
    const { id, token } = (await create({ name: 'used' })).body as Created;
    t.equal((await forge.as(token).get('/api/v1/auth/me')).status, 200);
    const used = async (): Promise<unknown> =>
      (
        (await client.get(`${tokens}?per_page=100`)).body as { items: { id: string; last_used_at: unknown }[] }
      ).items.find((item) => item.id === id)?.last_used_at;
    let noted: unknown = null;
    for (let time = 0; time < 100 && noted === null; time += 1) noted = await used();
    t.match(noted, instant);
  });

  await t.test(
    'DELETE revokes a token at once: 204, then 404; 404 for another user; 400 for a malformed id',
    async (t) => {
      const { id, token } = (await create({})).body as Created;
      const eve = await forge.createUser('eve');
      t.equal((await eve.client.delete(`${tokens}/${id}`)).status, 404);
      t.equal((await forge.as(token).get('/api/v1/auth/me')).status, 200);
      t.equal((await client.delete(`${tokens}/${id}`)).status, 204);
      t.equal((await forge.as(token).get('/api/v1/auth/me')).status, 401);
      t.equal((await client.delete(`${tokens}/${id}`)).status, 404);
      t.equal((await client.delete(`${tokens}/none`)).status, 400);
    },
  );

  await t.test('a malformed, unknown or expired token gives 401, also on public data', async (t) => {
    const { token } = await forge.pat(client, []);
    const expiring = (await create({ expires_at: new Date(Date.now() + 400).toISOString() })).body as Created;
    const changed = `${token.slice(0, 20)}${token[20] === 'a' ? 'b' : 'a'}${token.slice(21)}`;
    const body = `svc_${'A'.repeat(30)}`;
    const unknown = body + base62(crc32(body)).padStart(6, '0');
    while (
      Date.now() <
      Date.parse(
        ((await client.get(tokens)).body as { items: { id: string; expires_at: string }[] }).items.find(
          ({ id }) => id === expiring.id,
        )?.expires_at ?? '',
      )
    )
      await new Promise((resolve) => {
        setTimeout(resolve, 20);
      });
    for (const bad of [
      changed,
      unknown,
      token.slice(0, -1),
      `${token}x`,
      'svc_',
      expiring.token,
      token.replace('svc_', 'svc_ort_'),
      token.replace('svc_', 'svc_oat_'),
    ]) {
      for (const path of ['/api/v1/auth/me', '/api/v1/users/ada']) {
        const answer = await forge.as(bad).get(path);
        t.match(answer, { status: 401, body: { error_code: 'unauthorized' } }, `${bad} ${path}`);
        t.match(answer.headers.get('www-authenticate'), /^Bearer/);
      }
    }
  });

  await t.test('a missing scope is 403 insufficient_scope, named in the body and in the challenge', async (t) => {
    const pat = await forge.pat(await forge.administrator(), ['repo:read']);
    const answer = await pat.get('/api/v1/admin/users');
    t.match(answer, { status: 403, body: { error_code: 'insufficient_scope', detail: /admin:users/ } });
    t.equal(answer.headers.get('www-authenticate'), 'Bearer error="insufficient_scope", scope="admin:users"');
  });

  await t.test('a scope implies only scopes of the same family, and grants no permission by itself', async (t) => {
    const administrator = await forge.administrator();
    for (const scopes of [['admin:system'], ['repo:admin'], ['mcp:write', 'registry:write', 'ci:write', 'issue:write']])
      t.equal(
        (await (await forge.pat(administrator, scopes)).get('/api/v1/admin/users')).status,
        403,
        JSON.stringify(scopes),
      );
    t.equal((await (await forge.pat(administrator, ['admin:users'])).get('/api/v1/admin/users')).status, 200);
    t.match(await (await forge.pat(client, ['admin:users'])).get('/api/v1/admin/users'), {
      status: 403,
      body: { error: 'admin scope required: admin:users' },
    });
  });

  await t.test(
    'a suspension revokes the tokens of the user: 401 also on public data, and after a reactivation',
    async (t) => {
      const user = await forge.createUser('bob');
      const pat = await forge.pat(user.client, []);
      const by = await forge.administrator();
      await by.patch(`/api/v1/admin/users/${user.id}`, { body: { is_active: false } });
      for (const dead of [pat, user.client])
        for (const path of ['/api/v1/auth/me', '/api/v1/users/ada']) t.equal((await dead.get(path)).status, 401);
      await by.patch(`/api/v1/admin/users/${user.id}`, { body: { is_active: true } });
      for (const dead of [pat, user.client]) t.equal((await dead.get('/api/v1/auth/me')).status, 401);
    },
  );
});

void t.test('OAuth2 access tokens', async (t) => {
  /** A stub of the OAuth2 server: `svc_oat_SCOPE+SCOPE` is a token of the administrator. */
  const reader = definePlugin({
    name: 'fake-oauth',
    version: '1.0.0',
    api: '^0.2.0',
    needs: ['Users'],
    build: ({ Users }) => ({
      prefix: 'svc_oat_',
      async read(token: string) {
        const user = await Users.byUsername('admin');
        return (
          user && {
            kind: 'user' as const,
            id: user.id,
            username: user.username,
            isAdmin: true,
            credential: {
              kind: 'oauth' as const,
              id: 'grant',
              scopes: token.slice('svc_oat_'.length).replaceAll('.', ':').split('+'),
            },
          }
        );
      },
    }),
    provides: { CredentialReader: (parts) => parts },
  });
  const forge = await startTestForge(t, {
    definitions: [reader],
    environment: { HEXFORGE_PLUGINS: '-oauth-server' },
  });

  await t.test('reading /auth/me and /user needs read:user', async (t) => {
    for (const path of ['/api/v1/auth/me', '/api/v1/user']) {
      t.match(await forge.as('svc_oat_read.user').get(path), { status: 200, body: { username: 'admin' } }, path);
      t.match(
        await forge.as('svc_oat_read.repo+openid').get(path),
        { status: 403, body: { error_code: 'insufficient_scope', detail: /read:user/ } },
        path,
      );
    }
  });

  await t.test(
    'an OAuth2 token cannot create or list personal access tokens, change a profile or administer users',
    async (t) => {
      const token = forge.as('svc_oat_read.user+admin.repo+admin.users');
      t.equal((await token.post(tokens, { body: { name: 'x', scopes: [] } })).status, 403);
      t.equal((await token.get(tokens)).status, 403);
      t.equal((await token.patch('/api/v1/user', { body: { bio: 'x' } })).status, 403);
      t.match(await token.get('/api/v1/admin/users'), { status: 403, body: { error_code: 'insufficient_scope' } });
    },
  );
});
