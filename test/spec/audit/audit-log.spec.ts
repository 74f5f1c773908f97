// Tests of the audit log: the list with its filters, single entries, and who may read them.
import t from 'tap';
import type { Client } from '#test/support/clients/client';
import { isError } from '#test/support/clients/error-answer';
import { startTestForge } from '#test/support/forge';

const log = '/api/v1/admin/audit-log';

interface Entry {
  readonly id: string;
  readonly action: string;
  readonly actor_username: string | null;
  readonly created_at: string;
}
interface Listed {
  readonly entries: readonly Entry[];
  readonly total: number;
  readonly page: number;
  readonly per_page: number;
}

void t.test('the audit log', async (t) => {
  const forge = await startTestForge(t);
  const admin = await forge.administrator();
  const read = async (query = '') => (await admin.get(`${log}${query}`)).body as Listed;
  const ids = async (query: string) => (await read(query)).entries.map(({ id }) => id);
  const ada = await forge.createUser('Ada');
  await ada.client.post('/api/v1/user/tokens', { body: { name: 'laptop', scopes: ['repo:read'] } });
  await ada.client.patch('/api/v1/user', { body: { bio: 'x' } });

  await t.test('GET: 200 with { entries, total, page, per_page }, newest first', async (t) => {
    const { entries, ...envelope } = await read();
    t.strictSame(envelope, { total: entries.length, page: 1, per_page: 100 });
    const numbers = entries.map(({ id }) => Number(id));
    t.strictSame(
      numbers,
      numbers.toSorted((a, b) => b - a),
    );
    const { id: _id, created_at: at, ...newest } = entries[0] ?? ({} as Entry);
    t.ok(Math.abs(Date.parse(at) - Date.now()) < 600_000);
    t.match(newest, { actor_id: ada.id, actor_username: 'Ada', ip_address: '127.0.0.1' });
    t.strictSame(Object.keys(newest).sort(), [
      'action',
      'actor_id',
      'actor_username',
      'details',
      'ip_address',
      'resource',
      'resource_id',
      'resource_type',
      'user_agent',
    ]);
    t.match(newest, {
      action: 'user.updated',
      resource: `user:${ada.id}`,
      resource_type: 'user',
      resource_id: ada.id,
      details: { fields: ['bio'] },
    });
  });

  await t.test('a resource is split at its first colon', async (t) => {
    t.equal((await admin.put('/api/v1/admin/settings/signup.enabled', { body: { value: 'true' } })).status, 200);
    t.match((await read('?action=setting.')).entries, [
      { resource: 'setting:signup.enabled', resource_type: 'setting', resource_id: 'signup.enabled' },
    ]);
  });

  await t.test(
    'page and per_page; an out-of-range per_page becomes 500; limit and offset apply if page is absent',
    async (t) => {
      const all = await ids('');
      t.strictSame(await ids('?per_page=2'), all.slice(0, 2));
      t.strictSame(await ids('?per_page=2&page=2'), all.slice(2, 4));
      t.match(await read('?per_page=2&page=2'), { total: all.length, page: 2, per_page: 2 });
      t.strictSame(await ids('?page=9007199254740991'), []);
      for (const [query, perPage] of [
        ['?per_page=500', 500],
        ['?per_page=501', 500],
        ['?per_page=0', 500],
        ['?per_page=9007199254740993', 500],
        ['?per_page=x', 100],
        ['?page=0', 100],
      ] as const)
        t.match(await read(query), { page: 1, per_page: perPage }, query);
      t.strictSame(await ids('?limit=2&offset=3'), all.slice(3, 5));
      t.match(await read('?limit=2&offset=3'), { page: 2, per_page: 2 });
      t.strictSame(await ids('?offset=1'), all.slice(1));
      t.strictSame(await ids('?limit=1'), all.slice(0, 1));
      t.strictSame(await ids('?page=1&per_page=2&limit=1&offset=1'), all.slice(0, 2), 'page has precedence');
      for (const page of ['', 'x', '1.5'])
        t.strictSame(await ids(`?page=${page}&limit=2&offset=3`), all.slice(3, 5), `"${page}" is not a page`);
      t.strictSame(await ids('?limit=x&per_page=2&offset=3'), all.slice(3, 5), 'x is not a limit');
      t.match(await read('?page=9007199254740993'), { entries: [], total: all.length, page: 9007199254740991 });
      t.match(await read(`?offset=${'9'.repeat(400)}`), { entries: [], total: all.length });
    },
  );

  await t.test('actor is a username ignoring case; an unknown one gives an empty page', async (t) => {
    for (const name of ['Ada', 'ada', 'ADA'])
      t.strictSame(
        [...new Set((await read(`?actor=${name}`)).entries.map((one) => one.actor_username))],
        ['Ada'],
        name,
      );
    const none = { entries: [], total: 0, page: 1, per_page: 100 };
    for (const name of ['nobody', 'ad', '%25', "'"]) t.strictSame(await read(`?actor=${name}`), none, name);
    t.equal((await read('?actor=')).total, (await read()).total, 'an empty actor is ignored');
  });

  await t.test('action is a case-sensitive prefix', async (t) => {
    const actions = async (prefix: string) => [
      ...new Set((await read(`?action=${prefix}`)).entries.map(({ action }) => action)),
    ];
    t.strictSame(await actions('token.'), ['token.created']);
    t.ok((await actions('user.')).every((action) => action.startsWith('user.')));
    for (const prefix of ['oken', 'token%25', 'token_', 'TOKEN']) t.strictSame(await actions(prefix), [], prefix);
    t.strictSame(await actions('token.created&actor=ada'), ['token.created']);
    t.strictSame(await actions('token.created&actor=admin'), []);
  });

  await t.test('from and to are RFC 3339 times or dates, both inclusive; anything else is 400', async (t) => {
    const all = await read();
    const newest = all.entries[0]?.created_at ?? '';
    const today = newest.slice(0, 10);
    const yesterday = new Date(Date.parse(`${today}T00:00:00Z`) - 86_400_000).toISOString().slice(0, 10);
    t.ok((await read(`?from=${newest}&to=${newest}`)).total >= 1, 'the exact time');
    t.equal((await read(`?from=${encodeURIComponent(newest.replace('Z', '+00:00'))}&page=1`)).page, 1);
    t.equal((await read(`?from=1970-01-01&to=${today}`)).total, all.total, 'until the end of the day');
    t.equal((await read(`?to=${yesterday}T00:00:00Z`)).total, 0);
    t.equal((await read(`?from=9999-12-31`)).total, 0);
    t.equal((await read(`?to=0000-01-01`)).total, 0);
    t.equal((await read(`?from=0000-01-01T00:00:00Z`)).total, all.total);
    t.equal((await read(`?from=${today}&to=1999-01-01`)).total, 0, 'an end before the beginning');
    for (const query of ['from=today', 'to=2026-02-30', 'from=2026-1-1', 'to=2026-01-01T00:00:00', 'to=1767225600'])
      isError(t, await admin.get(`${log}?${query}`), 400, 'validation_failed', query);
  });

  await t.test('GET one entry: 200; 400 if the id is not a positive integer; 404 for an unknown id', async (t) => {
    const [entry] = (await read()).entries;
    const answer = await admin.get(`${log}/${entry?.id}`);
    t.strictSame([answer.status, answer.body], [200, entry]);
    for (const id of ['0', '-1', '1.5', '1e3', 'x', '01', '%201'])
      isError(t, await admin.get(`${log}/${id}`), 400, 'validation_failed', id);
    for (const id of ['999999999', '9007199254740993', '99999999999999999999'])
      isError(t, await admin.get(`${log}/${id}`), 404, 'not_found', id);
  });

  await t.test(
    'only super-admins may read: 401, or 403 with any admin scope, also for malformed requests',
    async (t) => {
      for (const scope of ['admin:audit_read', 'admin:system', 'admin:users'])
        await admin.post(`/api/v1/admin/users/${ada.id}/admin-scopes`, { body: { scope } });
      const all = (client: Client) =>
        Promise.all([client.get(log), client.get(`${log}/x`), client.get(`${log}?from=x`)]);
      for (const answer of await all(forge.anonymous)) isError(t, answer, 401, 'unauthorized', 'anonymous');
      for (const answer of await all(ada.client)) isError(t, answer, 403, 'forbidden', 'not an administrator');
      isError(t, await (await forge.pat(admin, ['admin:users'])).get(log), 403, 'insufficient_scope', 'admin:users');
      t.equal((await (await forge.pat(admin, ['admin:system'])).get(log)).status, 200);
    },
  );

  await t.test('the log contains no secret, whether it was sent as a username, in a body or in a header', async (t) => {
    const secret = 'hunter2 is my password';
    const typed = await forge.anonymous.post('/api/v1/auth/login', { body: { username: secret, password: secret } });
    t.equal(typed.status, 401);
    const { token } = await forge.pat(ada.client, ['repo:read']);
    await ada.client.patch('/api/v1/user', { body: { bio: token }, headers: { 'user-agent': `agent ${token}` } });
    const { text } = await admin.get(`${log}?per_page=500`);
    t.notMatch(text, 'hunter2');
    t.notOk(text.includes(token));
    t.match((await read('?action=user.updated')).entries[0], { user_agent: 'agent [redacted]' });
  });
});

void t.test('if the plugin audit is disabled, its routes are 404', async (t) => {
  const forge = await startTestForge(t, { environment: { HEXFORGE_PLUGINS: '-audit' }, database: 'memory' });
  isError(t, await (await forge.administrator()).get(log), 404, 'not_found', 'the list');
});
