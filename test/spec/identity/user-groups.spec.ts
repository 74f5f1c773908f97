// Tests of user groups: every status of each operation, and who may change which groups.
import t from 'tap';
import type { Client } from '#test/support/clients/client';
import { isError } from '#test/support/clients/error-answer';
import { startTestForge } from '#test/support/forge';
import { nearlyFull } from '#test/support/wrapped-store';
import { sharedForge } from '#test/support/shared-forge';

const groups = '/api/v1/admin/user-groups';
const nobody = '00000000-0000-4000-8000-0000000000ff';

interface Group {
  readonly id: string;
  readonly slug: string;
  readonly name: string;
  readonly role: string;
  readonly is_system: boolean;
  readonly member_count: number;
}
interface Members {
  readonly members: readonly { readonly id: string; readonly username: string; readonly added_at: string }[];
  readonly total: number;
}

void t.test('user groups', async (t) => {
  const forge = await sharedForge(t);
  const admin = await forge.administrator();
  const list = async (client = admin) => (await client.get(groups)).body as { groups: readonly Group[]; total: number };
  const group = async (slug: string) => (await list()).groups.find((one) => one.slug === slug);
  const create = (body: object, client = admin) => client.post(groups, { body });
  const made = async (body: object) => (await create(body)).body as Group;
  const members = async (id: string, query = '') =>
    (await admin.get(`${groups}/${id}/members${query}`)).body as Members;
  const names = ({ members: all }: Members) => all.map(({ username }) => username);
  t.teardown(async () => {
    for (const { id, is_system: isSystem } of (await list()).groups)
      if (!isSystem) await admin.delete(`${groups}/${id}`);
  });
  const ada = await forge.createUser('ada', { displayName: 'Ada' });
  const bob = await forge.createUser('bob');
  const boss = await forge.createUser('boss', { isAdmin: true });
  const delegate = await forge.createUser('delegate');
  await admin.post(`/api/v1/admin/users/${delegate.id}/admin-scopes`, { body: { scope: 'admin:users' } });

  await t.test(
    'GET: 200 with { groups, total }, the three seeded groups first; their members follow from the accounts',
    async (t) => {
      const { groups: all, total } = await list();
      t.equal(total, 3);
      t.match(all, [
        { slug: 'anonymous', name: 'Anonymous', role: 'member', is_system: true, member_count: 0 },
        { slug: 'general', name: 'General', role: 'member', is_system: true, member_count: 5 },
        { slug: 'admin', name: 'Admin', role: 'instance_admin', is_system: true, member_count: 2 },
      ]);
      t.strictSame(Object.keys(all[0] ?? {}).sort(), [
        'created_at',
        'description',
        'id',
        'is_system',
        'member_count',
        'name',
        'role',
        'slug',
        'updated_at',
      ]);
      const [anonymous, general, administrators] = all.map(({ id }) => id);
      t.strictSame(await members(anonymous ?? ''), { members: [], total: 0 });
      t.strictSame(names(await members(general ?? '')), ['ada', 'admin', 'bob', 'boss', 'delegate']);
      t.strictSame(names(await members(general ?? '', '?limit=2&offset=1')), ['admin', 'bob']);
      t.equal((await members(general ?? '', '?limit=2')).total, 5);
      t.strictSame(names(await members(administrators ?? '')), ['admin', 'boss']);
    },
  );

  await t.test('POST: 201 with the group, whose slug is made from the name', async (t) => {
    const answer = await create({ name: '  Çorba & Co. 2 ', description: 'Soup' });
    t.equal(answer.status, 201);
    const { id, created_at: at, ...rest } = answer.body as Group & { created_at: string };
    t.strictSame(rest, {
      slug: 'çorba-co-2',
      name: 'Çorba & Co. 2',
      description: 'Soup',
      role: 'member',
      is_system: false,
      member_count: 0,
      updated_at: at,
    });
    t.strictSame((await admin.get(`${groups}/${id}`)).body, answer.body);
    t.match(await create({ name: 'Root', role: 'instance_admin', grant_admin: true }), {
      status: 201,
      body: { slug: 'root', role: 'instance_admin', description: '' },
    });
    t.strictSame(
      (await list()).groups.map(({ slug }) => slug),
      ['anonymous', 'general', 'admin', 'root', 'çorba-co-2'],
    );
  });

  await t.test(
    'POST: 400, 409 if the name or slug is in use, 422 for an unknown role; no group is created',
    async (t) => {
      const before = (await list()).total;
      for (const body of [
        {},
        { name: '' },
        { name: ' ' },
        { name: '!?' },
        { name: 'a\nb' },
        { name: 7 },
        { name: 'x'.repeat(101) },
        { name: 'x', description: 'x'.repeat(1001) },
        { name: 'x', role: null },
        { name: 'x', role: 'instance_admin' },
        { name: 'x', role: 'instance_admin', grant_admin: false },
        { name: 'x', grant_admin: 'true' },
      ])
        isError(t, await create(body), 400, 'validation_failed', JSON.stringify(body).slice(0, 60));
      isError(t, await create({ name: 'x', slug: 'y' }), 400, 'unknown_field', 'slug');
      for (const name of ['ROOT', 'root!', 'General', 'çorba co 2'])
        isError(t, await create({ name }), 409, 'conflict', name);
      for (const role of ['admin', 'owner', ' member', 'Member', ''])
        isError(t, await create({ name: 'x', role }), 422, 'unprocessable', role);
      t.equal((await list()).total, before);
    },
  );

  await t.test('PATCH: 200 with the group; omitted members are unchanged', async (t) => {
    const { id } = await made({ name: 'Writers', description: 'Of books' });
    const patch = (body: object, which = id) => admin.patch(`${groups}/${which}`, { body });
    t.match(await patch({ name: 'Authors' }), { status: 200, body: { id, name: 'Authors', slug: 'authors' } });
    t.match(await patch({ description: '' }), { status: 200, body: { name: 'Authors', description: '' } });
    t.match(await patch({}), { status: 200, body: { name: 'Authors' } });
    t.match(await patch({ name: 'AUTHORS' }), { status: 200, body: { name: 'AUTHORS', slug: 'authors' } });
    isError(t, await patch({ role: 'instance_admin' }), 400, 'validation_failed', 'without grant_admin');
    t.match(await patch({ role: 'instance_admin', grant_admin: true }), {
      status: 200,
      body: { role: 'instance_admin' },
    });
    t.match(await patch({ role: 'member' }), { status: 200, body: { role: 'member' } });
    isError(t, await patch({ role: 'owner' }), 422, 'unprocessable', 'an unknown role');
    isError(t, await patch({ name: '-' }), 400, 'validation_failed', 'no letter');
    isError(t, await patch({ slug: 'other' }), 400, 'unknown_field', 'slug');
    isError(t, await patch({ name: 'Root' }), 409, 'conflict', 'a name in use');
    isError(t, await patch({ name: 'x' }, nobody), 404, 'not_found', 'an unknown group');
    isError(t, await patch({ name: 'x' }, '7'), 400, 'validation_failed', 'a malformed id');
  });

  await t.test('a system group cannot lose its slug, role or members or be deleted (409)', async (t) => {
    for (const slug of ['anonymous', 'general', 'admin']) {
      const { id = '', role = '', name = '' } = (await group(slug)) ?? {};
      const patch = (body: object) => admin.patch(`${groups}/${id}`, { body });
      isError(t, await patch({ name: `${name} 2` }), 409, 'conflict', `${slug}: a name with another slug`);
      const other = role === 'member' ? { role: 'instance_admin', grant_admin: true } : { role: 'member' };
      isError(t, await patch(other), 409, 'conflict', `${slug}: role`);
      t.match(await patch({ name: name.toUpperCase(), description: 'Changed' }), {
        status: 200,
        body: { slug, name: name.toUpperCase(), description: 'Changed' },
      });
      t.equal((await patch({ name })).status, 200);
      isError(t, await admin.delete(`${groups}/${id}`), 409, 'conflict', `${slug}: deleting it`);
      const added = await admin.post(`${groups}/${id}/members`, { body: { user_id: bob.id } });
      isError(t, added, 409, 'conflict', `${slug}: adding a member`);
      isError(
        t,
        await admin.delete(`${groups}/${id}/members/${bob.id}`),
        409,
        'conflict',
        `${slug}: removing a member`,
      );
    }
  });

  await t.test('members: adding is 201 with the summary, 409 if added twice, 404, 400; removing is 204', async (t) => {
    const { id } = await made({ name: 'Readers' });
    const path = `${groups}/${id}/members`;
    const add = (userId: unknown, client = admin) => client.post(path, { body: { user_id: userId } });
    const answer = await add(bob.id);
    t.equal(answer.status, 201);
    t.strictSame(Object.keys(answer.body as object).sort(), [
      'added_at',
      'avatar_url',
      'display_name',
      'id',
      'username',
    ]);
    t.match((await add(ada.id)).body, { id: ada.id, username: 'ada', display_name: 'Ada' });
    const { members: all, total } = await members(id);
    t.strictSame([all.map(({ username }) => username), total], [['ada', 'bob'], 2]);
    t.strictSame(all[1], answer.body);
    t.match(await admin.get(`${groups}/${id}`), { body: { member_count: 2 } });
    isError(t, await add(bob.id), 409, 'conflict', 'twice');
    isError(t, await add(nobody), 404, 'not_found', 'an unknown user');
    for (const userId of [undefined, null, '', '7', 7])
      isError(t, await add(userId), 400, 'validation_failed', String(userId));
    t.equal((await admin.delete(`${path}/${bob.id}`)).status, 204);
    isError(t, await admin.delete(`${path}/${bob.id}`), 404, 'not_found', 'not a member');
    isError(t, await admin.delete(`${path}/7`), 400, 'validation_failed', 'a malformed user id');
    for (const [which, status, code] of [
      [nobody, 404, 'not_found'],
      ['7', 400, 'validation_failed'],
    ] as const) {
      isError(t, await admin.get(`${groups}/${which}`), status, code, 'fetch');
      isError(t, await admin.get(`${groups}/${which}/members`), status, code, 'members');
      isError(t, await admin.post(`${groups}/${which}/members`, { body: { user_id: bob.id } }), status, code, 'add');
      isError(t, await admin.delete(`${groups}/${which}/members/${bob.id}`), status, code, 'remove');
      isError(t, await admin.delete(`${groups}/${which}`), status, code, 'delete');
    }
    t.equal((await admin.delete(`${groups}/${id}`)).status, 204);
    isError(t, await admin.get(path), 404, 'not_found', 'after the group was deleted');
  });

  await t.test('a deleted user is removed from the groups', async (t) => {
    const { id } = await made({ name: 'Passengers' });
    const brief = await forge.createUser('brief');
    await admin.post(`${groups}/${id}/members`, { body: { user_id: brief.id } });
    t.equal((await admin.delete(`/api/v1/admin/users/${brief.id}`)).status, 204);
    t.strictSame(await members(id), { members: [], total: 0 });
  });

  await t.test('admin:users is enough for groups of members, but not for groups of administrators (403)', async (t) => {
    const by = delegate.client;
    const { id } = (await create({ name: 'Delegated' }, by)).body as Group;
    t.equal((await by.patch(`${groups}/${id}`, { body: { description: 'x' } })).status, 200);
    t.equal((await by.post(`${groups}/${id}/members`, { body: { user_id: bob.id } })).status, 201);
    t.equal((await by.delete(`${groups}/${id}/members/${bob.id}`)).status, 204);
    t.equal((await list(by)).total, (await list()).total);
    const grown = { role: 'instance_admin', grant_admin: true };
    isError(t, await by.patch(`${groups}/${id}`, { body: grown }), 403, 'forbidden', 'promoting one');
    isError(t, await create({ name: 'Mighty', ...grown }, by), 403, 'forbidden', 'creating one');
    for (const slug of ['admin', 'root']) {
      const { id: which = '' } = (await group(slug)) ?? {};
      isError(
        t,
        await by.patch(`${groups}/${which}`, { body: { description: 'x' } }),
        403,
        'forbidden',
        `${slug}: change`,
      );
      const added = await by.post(`${groups}/${which}/members`, { body: { user_id: bob.id } });
      isError(t, added, 403, 'forbidden', `${slug}: add`);
      isError(t, await by.delete(`${groups}/${which}/members/${boss.id}`), 403, 'forbidden', `${slug}: remove`);
      isError(t, await by.delete(`${groups}/${which}`), 403, 'forbidden', `${slug}: delete`);
    }
    t.equal((await by.delete(`${groups}/${id}`)).status, 204);
  });

  await t.test('401, or 403 naming admin:users also for malformed requests; a token needs admin:users', async (t) => {
    const all = (client: Client) =>
      Promise.all([
        client.get(groups),
        client.get(`${groups}/malformed`),
        client.post(groups, { body: { name: '' } }),
        client.delete(`${groups}/${nobody}/members/malformed`),
      ]);
    for (const answer of await all(forge.anonymous)) isError(t, answer, 401, 'unauthorized', 'anonymous');
    for (const answer of await all(ada.client)) {
      isError(t, answer, 403, 'forbidden', 'without the scope');
      t.match(answer.body, { error: 'admin scope required: admin:users' });
    }
    t.equal((await (await forge.pat(admin, ['admin:users'])).get(groups)).status, 200);
    isError(t, await (await forge.pat(admin, ['admin:system'])).get(groups), 403, 'insufficient_scope', 'admin:system');
  });
});

void t.test('an instance has at most 500 groups: one more is 422', async (t) => {
  const forge = await startTestForge(t, { definitions: [await nearlyFull('identity', 'groups', 496)] });
  const admin = await forge.administrator();
  t.equal((await admin.post(groups, { body: { name: 'The last' } })).status, 201);
  isError(t, await admin.post(groups, { body: { name: 'One more' } }), 422, 'unprocessable', 'one more');
});
