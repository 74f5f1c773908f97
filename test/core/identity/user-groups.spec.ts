// User groups on in-memory stores: names, slugs, events, and the port for other areas.
import t from 'tap';
import { groupName, groupRole, seededGroups } from '#core/identity/index';
import { world } from './world.ts';

void t.test('a slug consists of the words of the name', (t) => {
  for (const [name, slug] of [
    ['Team', 'team'],
    [' The  A-Team! ', 'the-a-team'],
    ['Über_uns 2', 'über-uns-2'],
    ['команда', 'команда'],
    ['ﬁre', 'fire'],
    ['हिन्दी', 'हिन्दी'],
  ] as const)
    t.equal(groupName(name).slug, slug, name);
  for (const name of ['', ' ', '---', '_', '\u0301', 'a\tb', 'x'.repeat(101)])
    t.throws(() => groupName(name), { name: 'ValidationFailed' }, JSON.stringify(name));
  t.throws(() => groupRole('owner'), { name: 'Unprocessable' });
  t.end();
});

void t.test('a change emits an event with an audit entry, and an update without a change does not', async (t) => {
  const w = world();
  await w.listen();
  const root = await w.account('root', { isAdmin: true });
  const ada = await w.account('ada');
  const call = w.as(root);
  const { id } = await w.groups.create(call, { name: 'Team', description: '', role: 'member', grantAdmin: false });
  await w.groups.update(call, { id, name: 'Team' });
  await w.groups.update(call, { id, name: 'Crew', description: 'x' });
  await w.groups.addMember(call, { id, userId: ada.id });
  t.strictSame(
    (await w.groups.port.groupsOf(ada.id)).map(({ slug }) => slug),
    ['general', 'crew'],
  );
  await w.groups.removeMember(call, { id, userId: ada.id });
  await w.groups.delete(call, { id });
  await w.storage.drained();
  const told = ['created', 'updated', 'member_added', 'member_removed', 'deleted'].map((what) => `user_group.${what}`);
  t.strictSame(
    w.heard.filter(({ type }) => type.startsWith('user_group.')).map(({ type }) => type),
    told,
  );
  t.strictSame(
    w.actions().filter((action) => action.startsWith('user_group.')),
    told,
  );
  t.match(
    w.entries.find(({ action }) => action === 'user_group.updated'),
    { resource: `user_group:${id}`, details: { slug: 'crew', fields: ['description', 'name', 'slug'] } },
  );
});

void t.test('the port returns the groups of administrators, users and unknown ids', async (t) => {
  const w = world();
  const root = await w.account('root', { isAdmin: true });
  const ids = async (id: string) => (await w.groups.port.groupsOf(id)).map((group) => group.id);
  t.strictSame(await ids(root.id), [seededGroups.general, seededGroups.admin]);
  t.strictSame(await ids('00000000-0000-4000-8000-0000000000ff'), []);
  t.equal((await w.groups.port.byId(seededGroups.admin))?.role, 'instance_admin');
  t.equal((await w.groups.port.list()).length, 3);
});

void t.test('an update returns the group from its unit of work, without a later database read', async (t) => {
  const w = world();
  const call = w.as(await w.account('root', { isAdmin: true }));
  const { id } = await w.groups.create(call, { name: 'Team', description: '', role: 'member', grantAdmin: false });
  for (const description of ['New', 'New']) {
    w.storage.leaveAfter(1);
    t.match(await w.groups.update(call, { id, description }), { name: 'Team', description, memberCount: 0 });
    w.storage.comeBack();
  }
});
