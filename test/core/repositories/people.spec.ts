// Use cases of collaborators, role templates, stars, watches and forks: audit entries, events, and interrupted forks.
import t from 'tap';
import { Unavailable } from '#core/kernel/errors';
import { repositoryPermissions } from '#core/repositories/index';
import { offeredRepositories } from '#core/repositories/use-cases';
import { alice, bob, carol, refusal, root, world } from './world.ts';

const permissions = ['repo.read', 'repo.write'];

void t.test('each change of a collaborator writes one event and one audit entry, a repetition none', async (t) => {
  const forge = await world();
  t.teardown(() => forge.close());
  const repository = await forge.useCases.create(forge.as(alice), { name: 'a' });
  const granted = await forge.granted(alice, 'repo.admin', repository);
  const put = (role: string, given?: string[]) =>
    forge.useCases.collaborators.put(granted, { username: 'BOB', role, permissions: given });
  await put('read');
  await put('read');
  await put('pusher', permissions);
  await put('pusher', permissions);
  await forge.useCases.collaborators.remove(await forge.granted(root, 'repo.own', repository), { username: 'bob' });
  const about = { repository_id: repository.id, user_id: bob.id };
  t.same(
    (await forge.events())
      .filter(({ type }) => type.startsWith('collaborator.'))
      .map(({ type, actorId, aggregate, payload }) => [type, actorId, aggregate, payload]),
    [
      ['collaborator.added', alice.id, `repository:${repository.id}`, { ...about, role: 'read' }],
      ['collaborator.updated', alice.id, `repository:${repository.id}`, { ...about, role: 'pusher', old_role: 'read' }],
      ['collaborator.removed', root.id, `repository:${repository.id}`, { ...about, role: 'pusher' }],
    ],
  );
  t.match(
    forge.audited.filter(({ action }) => action.startsWith('collaborator.')),
    [
      {
        action: 'collaborator.added',
        actorId: alice.id,
        resource: `repository:${repository.id}`,
        details: { username: 'bob', role: 'read' },
      },
      { action: 'collaborator.updated', details: { role: 'pusher', permissions, old_role: 'read' } },
      { action: 'collaborator.removed', actorId: root.id, details: { role: 'pusher' } },
    ],
  );
  await t.rejects(
    forge.useCases.collaborators.remove(await forge.granted(alice, 'repo.own', repository), { username: 'bob' }),
    refusal('not_found'),
  );
  t.equal(forge.audited.length, 4, 'with the creation');
});

void t.test('role templates emit events and write audit entries', async (t) => {
  const forge = await world();
  t.teardown(() => forge.close());
  const repository = await forge.useCases.create(forge.as(alice), { name: 'a' });
  const granted = await forge.granted(alice, 'repo.admin', repository);
  const { id } = await forge.useCases.roleTemplates.create(granted, { name: 'crew', permissions });
  await forge.useCases.roleTemplates.update(granted, { id, name: 'Crew' });
  await forge.useCases.roleTemplates.update(granted, { id });
  await forge.useCases.roleTemplates.delete(granted, { id });
  const actions = ['role_template.created', 'role_template.updated', 'role_template.deleted'];
  t.same(
    (await forge.events())
      .filter(({ type }) => type.startsWith('role_template.'))
      .map(({ type, payload }) => [type, payload]),
    actions.map((type, index) => [
      type,
      { repository_id: repository.id, role_template_id: id, name: index === 0 ? 'crew' : 'Crew' },
    ]),
  );
  t.same(forge.audited.map(({ action }) => action).slice(1), actions);
});

void t.test('a star or watch emits an event when it is set or removed, not when it is repeated', async (t) => {
  const forge = await world();
  t.teardown(() => forge.close());
  const repository = await forge.useCases.create(forge.as(alice), { name: 'a', visibility: 'public' });
  const granted = await forge.granted(bob, 'repo.read', repository);
  for (const act of ['star', 'star', 'unstar', 'unstar', 'watch', 'watch', 'unwatch', 'unwatch'] as const)
    await forge.useCases[act](granted);
  t.same(
    (await forge.events()).slice(1).map(({ type, actorId, payload }) => [type, actorId, payload]),
    ['repository.starred', 'repository.unstarred', 'repository.watched', 'repository.unwatched'].map((type) => [
      type,
      bob.id,
      { repository_id: repository.id, user_id: bob.id },
    ]),
  );
});

void t.test('a fork emits an event next to its creation, is recorded, and maintained', async (t) => {
  const forge = await world();
  t.teardown(() => forge.close());
  const parent = await forge.useCases.create(forge.as(alice), {
    name: 'a',
    visibility: 'public',
    defaultBranch: 'trunk',
  });
  const tip = forge.git.commit(parent.id, 'refs/heads/trunk', { f: '1' });
  forge.git.commit(parent.id, 'refs/notes/x', { f: '2' });
  const fork = await forge.useCases.fork(await forge.granted(bob, 'repo.read', parent), { name: 'b' });
  t.match(fork, { owner: 'bob', ownerId: bob.id, name: 'b', visibility: 'public', defaultBranch: 'trunk' });
  t.same(await forge.git.refs(fork.id, 'all'), [{ name: 'refs/heads/trunk', oid: tip }]);
  const fact = { repository_id: fork.id, owner_id: bob.id, name: 'b', visibility: 'public' };
  t.same(
    (await forge.events()).slice(1).map(({ type, aggregate, payload }) => [type, aggregate, payload]),
    [
      ['repository.created', `repository:${fork.id}`, fact],
      ['repository.forked', `repository:${fork.id}`, { ...fact, parent_id: parent.id }],
    ],
  );
  t.match(forge.audited.at(-1), {
    action: 'repository.created',
    actorId: bob.id,
    details: { name: 'b', forked_from: parent.id },
  });
  t.same(forge.git.maintained, [fork.id]);
  t.equal(forge.intents.open_.size, 0);
});

void t.test('a fork that fails, or whose parent is deleted or hidden meanwhile, leaves nothing', async (t) => {
  const forge = await world();
  t.teardown(() => forge.close());
  const parent = await forge.useCases.create(forge.as(alice), { name: 'a', visibility: 'public' });
  const granted = await forge.granted(bob, 'repo.read', parent);
  const nothing = async (kind: Parameters<typeof refusal>[0] | RegExp) => {
    await t.rejects(forge.useCases.fork(granted, {}), typeof kind === 'string' ? refusal(kind) : { message: kind });
    t.equal(await forge.store.idByName(bob.id, 'a'), undefined);
    t.equal(forge.git.repositories.size, 1, 'no directory is left');
    t.equal(forge.intents.open_.size, 0);
  };
  forge.git.failing = { name: 'fork', error: new Error('disk full') };
  await nothing(/disk full/);
  for (const [visibility, kind] of [
    ['internal', 'conflict'],
    ['private', 'not_found'],
  ] as const) {
    await forge.storage.unitOfWork.run(() => forge.store.update(parent.id, { visibility, updatedAt: new Date() }));
    await nothing(kind);
  }
  forge.git.failing = { name: 'fork', error: new Error('no such directory') };
  await forge.storage.unitOfWork.run(() => forge.store.delete(parent.id));
  await nothing('not_found');
  await nothing('not_found');
});

void t.test('a fork with an unknown commit outcome rejects with that, even if the database stays down', async (t) => {
  const forge = await world();
  t.teardown(() => forge.close());
  const parent = await forge.useCases.create(forge.as(alice), { name: 'a', visibility: 'public' });
  const granted = await forge.granted(bob, 'repo.read', parent);
  const undecided = new Unavailable('It may have been saved, or not');
  const { byId } = forge.store;
  forge.intents.close = async () => {
    forge.store.byId = () => Promise.reject(new Unavailable('The database does not answer'));
    throw undecided;
  };
  await t.rejects(forge.useCases.fork(granted, {}), undecided);
  forge.store.byId = byId;
});

void t.test('a fork of a killed process is removed', async (t) => {
  const forge = await world();
  t.teardown(() => forge.close());
  await forge.intents.open({ kind: 'repositories.create', subject: 'half-made', detail: {} });
  await forge.git.create('half-made', { defaultBranch: 'main' });
  forge.intents.die();
  await forge.useCases.reconciler.run();
  t.equal(forge.git.repositories.size, 0);
  t.equal(forge.intents.open_.size, 0);
});

void t.test(
  'a collaborator of a private repository has the permissions of their role in the access decision',
  async (t) => {
    const forge = await world();
    t.teardown(() => forge.close());
    const repository = await forge.useCases.create(forge.as(alice), { name: 'a' });
    const granted = await forge.granted(alice, 'repo.admin', repository);
    for (const [role, given, held] of [
      ['read', undefined, ['repo.read']],
      ['write', undefined, permissions],
      ['odd', ['repo.read', 'repo.admin'], ['repo.read', 'repo.admin']],
    ] as const) {
      await forge.useCases.collaborators.put(granted, { username: 'carol', role, permissions: given });
      const reader = await forge.granted(carol, 'repo.read', repository);
      const effective = await forge.useCases.collaborators.effective(reader, { username: 'carol' });
      const own = (name: string): boolean => ['repo.read', 'repo.write', 'repo.admin'].includes(name);
      t.same(effective.permissions.filter(own), held, role);
      t.same(
        ['repo.read', 'repo.write', 'repo.admin'].filter((name) => reader.may(name)),
        held,
        role,
      );
      t.same(
        effective.permissions.filter((name) => !reader.may(name)),
        [],
        role,
      );
    }
  },
);

void t.test('holders of a permission: the owner, administrators, and users with a role that has it', async (t) => {
  const forge = await world();
  t.teardown(() => forge.close());
  const repository = await forge.useCases.create(forge.as(alice), { name: 'a', visibility: 'public' });
  const people = new Map(
    [alice, bob, carol, root].map(({ id, username }) => [id, { id, username, displayName: '', avatarUrl: '' }]),
  );
  const suspended = new Set<string>();
  const { holders } = offeredRepositories({
    store: forge.store,
    collaborators: forge.collaborators,
    protections: forge.protections,
    users: {
      byUsername: async () => undefined,
      byUsernames: async () => [],
      byIds: async () => people,
      email: async () => '',
      administrators: async () => new Set([root.id]),
      active: async (ids) => new Set(ids.filter((id) => people.has(id) && !suspended.has(id))),
    },
    permissionTable: { declarations: () => repositoryPermissions },
  });
  const asked = [...people.keys(), 'nobody'];
  const may = async (permission: string) => [...(await holders(repository.id, permission, asked))];
  const give = (role: string, given: readonly string[] = []) =>
    forge.collaborators.put(repository.id, bob.id, { role, permissions: given }, new Date());
  t.same(await may('repo.read'), [...people.keys()], 'by visibility too');
  t.same(await may('repo.write'), [alice.id, root.id]);
  await give('triage');
  t.same(await may('repo.write'), [alice.id, root.id]);
  await give('write');
  t.same(await may('repo.write'), [alice.id, bob.id, root.id]);
  t.same(await may('repo.admin'), [alice.id, root.id]);
  await give('pusher', ['repo.write']);
  t.same(await may('repo.write'), [alice.id, bob.id, root.id], 'by a custom role');
  t.same([...(await holders('none', 'repo.write', asked))], [], 'of an unknown repository');
  suspended.add(alice.id).add(root.id);
  t.same(await may('repo.write'), [bob.id], 'no suspended user');
});
