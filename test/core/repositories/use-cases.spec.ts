// Creating, listing, fetching, updating and deleting repositories on in-memory stores, also with interruptions.
import t from 'tap';
import { anonymous } from '#core/kernel/caller';
import { Unavailable } from '#core/kernel/errors';
import { gate, turn } from '#test/contracts/checks';
import { alice, bob, root, world, refusal } from './world.ts';

void t.test(
  'creating makes a private repository with a directory, an event and an audit entry, and closes its intent',
  async (t) => {
    const forge = await world();
    t.teardown(() => forge.close());
    const call = forge.as(alice);
    const repository = await forge.useCases.create(call, { name: 'hello' });
    t.same(repository, {
      id: repository.id,
      ownerId: alice.id,
      owner: 'Alice',
      name: 'hello',
      description: '',
      visibility: 'private',
      defaultBranch: 'main',
      issueCode: '',
      createdAt: call.now,
      updatedAt: call.now,
    });
    t.same(await forge.store.byId(repository.id), repository);
    t.equal(forge.git.repositories.get(repository.id)?.head, 'main');
    t.same(
      (await forge.events()).map(({ type, aggregate, actorId }) => ({ type, aggregate, actorId })),
      [{ type: 'repository.created', aggregate: `repository:${repository.id}`, actorId: alice.id }],
    );
    t.same(
      forge.audited.map(({ action, resource, actorId }) => ({ action, resource, actorId })),
      [{ action: 'repository.created', resource: `repository:${repository.id}`, actorId: alice.id }],
    );
    t.equal(forge.intents.open_.size, 0);
  },
);

void t.test('creating rejects', async (t) => {
  const forge = await world();
  t.teardown(() => forge.close());
  await forge.useCases.create(forge.as(alice), { name: 'hello' });
  const create = (command: Parameters<typeof forge.useCases.create>[1], caller = alice) =>
    forge.useCases.create(forge.as(caller), command);
  await t.rejects(create({ name: 'HELLO' }), refusal('conflict'), 'a name that is taken, in any case');
  await t.rejects(create({ name: 'x.git' }), refusal('validation_failed'));
  await t.rejects(create({ name: 'x', defaultBranch: '-b' }), refusal('validation_failed'));
  await t.rejects(create({ name: 'x', owner: 'bob' }), refusal('forbidden'), 'another user as the owner');
  await t.rejects(
    create({ name: 'x', owner: 'nobody' }, root),
    refusal('validation_failed'),
    'an owner who does not exist',
  );
  t.equal(forge.git.repositories.size, 1, 'no directory was left');
  t.equal((await create({ name: 'x', owner: 'alice' })).ownerId, alice.id, "one's own name is allowed");
  t.equal((await create({ name: 'y', owner: 'BOB' }, root)).ownerId, bob.id, 'an administrator may name another');
});

void t.test(
  'concurrent creations with the same name: exactly one succeeds, the others leave no directory',
  async (t) => {
    const forge = await world();
    t.teardown(() => forge.close());
    const results = await Promise.allSettled(
      Array.from({ length: 8 }, () => forge.useCases.create(forge.as(alice), { name: 'race' })),
    );
    t.equal(results.filter(({ status }) => status === 'fulfilled').length, 1);
    t.ok(results.every((result) => result.status === 'fulfilled' || result.reason.kind === 'conflict'));
    t.equal(forge.git.repositories.size, 1);
    t.equal(forge.intents.open_.size, 0);
  },
);

void t.test('a creation that fails in git or in the database leaves nothing', async (t) => {
  const forge = await world();
  t.teardown(() => forge.close());
  forge.git.failing = { name: 'create', error: new Error('disk full') };
  await t.rejects(forge.useCases.create(forge.as(alice), { name: 'a' }), { message: 'disk full' });
  t.equal(forge.intents.open_.size, 0);
  t.equal(forge.git.repositories.size, 0);
  t.equal(await forge.store.idByName(alice.id, 'a'), undefined);
});

void t.test('an interrupted creation or deletion is completed or undone by the reconciler', async (t) => {
  const forge = await world();
  t.teardown(() => forge.close());
  const kept = await forge.useCases.create(forge.as(alice), { name: 'kept' });
  // Killed between directory and row; before the directory; between the deletion of the row and of the directory;
  // before the deletion of the row.
  await forge.intents.open({ kind: 'repositories.create', subject: 'half-made', detail: {} });
  await forge.git.create('half-made', { defaultBranch: 'main' });
  await forge.intents.open({ kind: 'repositories.create', subject: 'unmade', detail: {} });
  await forge.intents.open({ kind: 'repositories.delete', subject: 'half-gone', detail: {} });
  await forge.git.create('half-gone', { defaultBranch: 'main' });
  await forge.intents.open({ kind: 'repositories.delete', subject: kept.id, detail: {} });
  await forge.useCases.reconciler.run();
  t.equal(forge.intents.open_.size, 4, 'intents of live processes are not touched');
  forge.intents.die();
  await forge.useCases.reconciler.run();
  t.same([...forge.git.repositories.keys()], [kept.id]);
  t.equal(forge.intents.open_.size, 0);
});

void t.test('a change that could not be concluded is retried', async (t) => {
  const forge = await world();
  t.teardown(() => forge.close());
  const repository = await forge.useCases.create(forge.as(alice), { name: 'a' });
  forge.git.failing = { name: 'remove', error: new Error('busy') };
  await forge.useCases.delete(await forge.granted(alice, 'repo.own', repository), { confirmation: 'Alice/a' });
  t.equal(forge.git.repositories.size, 1, 'the directory still exists');
  t.equal(forge.intents.open_.size, 1);
  await forge.useCases.reconciler.run();
  t.equal(forge.git.repositories.size, 0);
  t.equal(forge.intents.open_.size, 0);
});

void t.test('the list has what the caller may read, newest first, up to its limits', async (t) => {
  const forge = await world();
  t.teardown(() => forge.close());
  let at = 0;
  const make = (owner: typeof alice, name: string, visibility: 'public' | 'internal' | 'private') =>
    forge.useCases.create(forge.as(owner, new Date(2026, 0, 1, 0, 0, at++)), { name, visibility });
  await make(alice, 'pub', 'public');
  await make(alice, 'int', 'internal');
  const secret = await make(alice, 'sec', 'private');
  await make(bob, 'own', 'private');
  const names = async (caller: Parameters<typeof forge.as>[0], command = {}) =>
    (await forge.useCases.list(forge.as(caller), command)).items.map(({ name }) => name);
  t.same(await names(anonymous), ['pub']);
  t.same(await names(bob), ['own', 'int', 'pub']);
  t.same(await names(alice), ['sec', 'int', 'pub']);
  t.same(await names(root), ['own', 'sec', 'int', 'pub']);
  t.same(await names(alice, { mine: true }), ['sec', 'int', 'pub']);
  t.same(await names(bob, { mine: true }), ['own']);
  t.same(await names(bob, { owner: 'ALICE' }), ['int', 'pub']);
  t.same(await names(bob, { owner: 'nobody' }), []);
  t.same(await names(bob, { mine: true, owner: 'alice' }), []);
  await forge.storage.unitOfWork.run(() =>
    forge.collaborators.put(secret.id, bob.id, { role: 'read', permissions: [] }, new Date()),
  );
  t.same(await names(bob, { owner: 'alice' }), ['sec', 'int', 'pub']);
  await t.rejects(forge.useCases.list(forge.as(anonymous), { mine: true }), refusal('unauthorized'));
  for (let index = 0; index < 110; index++) await make(alice, `many-${index}`, 'public');
  t.equal((await names(anonymous)).length, 50);
  t.equal((await names(anonymous, { owner: 'alice' })).length, 50);
  t.equal((await names(alice, { mine: true })).length, 100);
  const slice = async (command: object) => {
    const { items, more, page, perPage } = await forge.useCases.list(forge.as(bob), command);
    return [items.length, more, page, perPage];
  };
  t.same(await slice({ q: 'many-', page: 3 }), [10, false, 3, 50]);
  t.same(await slice({ q: 'many-', page: 2 }), [50, true, 2, 50]);
  t.same(await slice({ q: 'many-', page: 2, perPage: 55 }), [50, true, 2, 50], 'at most 50');
  t.same(await slice({ q: 'many-', page: 11, perPage: 10 }), [10, false, 11, 10]);
  t.same(await slice({ involved: true }), [2, false, 1, 100]);
  await t.rejects(forge.useCases.list(forge.as(anonymous), { involved: true }), refusal('unauthorized'));
});

void t.test('the repository has the values of counters, but no personal state for an anonymous caller', async (t) => {
  const forge = await world({
    counters: [
      { counts: async (ids) => new Map(ids.map((id) => [id, { stars: 3, starred: true }])) },
      { counts: async (ids) => new Map(ids.map((id) => [id, { openIssues: 2 }])) },
    ],
  });
  t.teardown(() => forge.close());
  const repository = await forge.useCases.create(forge.as(alice), { name: 'a', visibility: 'public' });
  const none = { stars: 3, forks: 0, watchers: 0, openIssues: 2, openMergeRequests: 0, watching: false };
  t.same((await forge.useCases.fetch(await forge.granted(bob, 'repo.read', repository))).counts, {
    ...none,
    starred: true,
  });
  t.same((await forge.useCases.fetch(await forge.granted(anonymous, 'repo.read', repository))).counts, {
    ...none,
    starred: false,
  });
});

void t.test('a counter is called if its view was not read', async (t) => {
  const asked: string[] = [];
  const counter = (name: string, member: 'openIssues' | 'openMergeRequests') => ({
    view: { name, member },
    counts: async (ids: readonly string[]) => {
      asked.push(name);
      return new Map(ids.map((id) => [id, { [member]: 2 }]));
    },
  });
  const forge = await world({ counters: [counter('a_open', 'openIssues'), counter('b_open', 'openMergeRequests')] });
  t.teardown(() => forge.close());
  const repository = await forge.useCases.create(forge.as(alice), { name: 'a', visibility: 'public' });
  asked.length = 0;
  const granted = await forge.granted(bob, 'repo.read', repository);
  const found = { stars: 1, forks: 0, watchers: 0, starred: false, watching: false, openIssues: 7 };
  const resource = { ...granted.resource, found };
  const { counts, repository: record } = await forge.useCases.fetch({ ...granted, resource } as typeof granted);
  t.same(counts, { ...found, openMergeRequests: 2 });
  t.same(asked, ['b_open']);
  t.notOk('found' in record, 'it is not a member of the repository');
});

void t.test('updating changes the row, emits an event, and does not move the directory', async (t) => {
  const forge = await world();
  t.teardown(() => forge.close());
  const repository = await forge.useCases.create(forge.as(alice, new Date(0)), { name: 'old' });
  const update = async (command: Parameters<typeof forge.useCases.update>[1]) =>
    forge.useCases.update(
      await forge.granted(alice, 'repo.own', {
        owner: 'alice',
        name: (await forge.store.byId(repository.id))?.name ?? '',
      }),
      command,
    );
  const changed = await update({ name: 'new', visibility: 'public', issueCode: 'NEW', description: 'text' });
  t.match(changed, { id: repository.id, name: 'new', visibility: 'public', issueCode: 'NEW', description: 'text' });
  t.ok(changed.updatedAt > repository.updatedAt);
  t.same(
    (await forge.events()).slice(1).map(({ type, payload }) => [type, payload]),
    [
      [
        'repository.updated',
        {
          repository_id: repository.id,
          owner_id: alice.id,
          name: 'new',
          visibility: 'public',
          changed: ['name', 'description', 'visibility', 'issueCode'],
        },
      ],
      [
        'repository.renamed',
        { repository_id: repository.id, owner_id: alice.id, name: 'new', visibility: 'public', old_name: 'old' },
      ],
      [
        'repository.visibility_changed',
        {
          repository_id: repository.id,
          owner_id: alice.id,
          name: 'new',
          visibility: 'public',
          old_visibility: 'private',
        },
      ],
    ],
  );
  t.same(
    forge.audited.slice(1).map(({ action, details }) => [action, details]),
    [
      ['repository.renamed', { owner: 'Alice', from: 'old', to: 'new' }],
      ['repository.visibility_changed', { owner: 'Alice', name: 'new', from: 'private', to: 'public' }],
    ],
  );
  t.same(forge.git.calls, ['create']);
  t.same(await update({ name: 'new' }), changed, 'an update without a change has no effect');
  t.equal((await update({ name: 'NEW' })).name, 'NEW', 'only the case may change');
  t.equal((await update({ issueCode: '' })).issueCode, '');
});

void t.test('updating rejects taken names with the id of the other repository', async (t) => {
  const forge = await world();
  t.teardown(() => forge.close());
  const first = await forge.useCases.create(forge.as(alice), { name: 'first' });
  const second = await forge.useCases.create(forge.as(alice), { name: 'second' });
  await forge.useCases.update(await forge.granted(alice, 'repo.own', first), { issueCode: 'AA' });
  const update = async (command: Parameters<typeof forge.useCases.update>[1]) =>
    forge.useCases.update(await forge.granted(alice, 'repo.own', second), command);
  await t.rejects(update({ name: 'FIRST' }), {
    kind: 'conflict',
    message: 'name_in_use',
    body: { existing_repo_id: first.id },
  });
  await t.rejects(update({ issueCode: 'AA' }), { kind: 'conflict', message: /issue code/ });
  await t.rejects(update({ issueCode: 'a' }), refusal('validation_failed'));
  await t.rejects(update({ name: '..' }), refusal('validation_failed'));
  t.same(await forge.store.byId(second.id), second);
});

void t.test('the default branch changes in git and in the row together', async (t) => {
  const forge = await world();
  t.teardown(() => forge.close());
  const repository = await forge.useCases.create(forge.as(alice), { name: 'a' });
  await forge.useCases.create(forge.as(alice), { name: 'taken' });
  const update = async (command: Parameters<typeof forge.useCases.update>[1]) =>
    forge.useCases.update(await forge.granted(alice, 'repo.own', repository), command);
  const head = () => forge.git.repositories.get(repository.id)?.head;
  t.equal(
    (await update({ defaultBranch: 'trunk' })).defaultBranch,
    'trunk',
    'an empty repository may name a branch that does not exist',
  );
  t.equal(head(), 'trunk');
  forge.git.commit(repository.id, 'refs/heads/dev', { a: 'a' });
  await t.rejects(update({ defaultBranch: 'absent' }), refusal('validation_failed'));
  await t.rejects(update({ defaultBranch: '-x' }), refusal('validation_failed'));
  await t.rejects(update({ defaultBranch: 'dev', name: 'taken' }), refusal('conflict'));
  t.equal(head(), 'trunk', 'restored together with the row');
  t.equal((await update({ defaultBranch: 'dev' })).defaultBranch, 'dev');
  t.equal(head(), 'dev');
  t.equal(forge.intents.open_.size, 0);
  // Killed after git and before the row was written.
  await forge.intents.open({ kind: 'repositories.default-branch', subject: repository.id, detail: {} });
  await forge.git.setDefaultBranch(repository.id, 'other');
  forge.intents.die();
  await forge.useCases.reconciler.run();
  t.equal(head(), 'dev');
});

void t.test('HEAD follows a default branch that changes while an earlier change is concluded', async (t) => {
  const forge = await world();
  t.teardown(() => forge.close());
  const repository = await forge.useCases.create(forge.as(alice), { name: 'a' });
  const owned = await forge.granted(alice, 'repo.own', repository);
  await forge.intents.open({ kind: 'repositories.default-branch', subject: repository.id, detail: {} });
  forge.intents.die();
  const { setDefaultBranch } = forge.git;
  const [reached, go] = [gate(), gate()];
  forge.git.setDefaultBranch = async (...to) => {
    forge.git.setDefaultBranch = setDefaultBranch;
    reached.open();
    await go.passed;
    await setDefaultBranch.apply(forge.git, to);
  };
  const concluding = forge.useCases.reconciler.run();
  await reached.passed;
  const changing = forge.useCases.update(owned, { defaultBranch: 'dev' });
  await turn();
  go.open();
  await Promise.all([concluding, changing]);
  t.equal((await forge.store.byId(repository.id))?.defaultBranch, 'dev');
  t.equal(forge.git.repositories.get(repository.id)?.head, 'dev');
  t.equal(forge.intents.open_.size, 0);
});

void t.test('deleting needs the exact confirmation, and deletes row, collaborators and directory', async (t) => {
  const forge = await world();
  t.teardown(() => forge.close());
  const repository = await forge.useCases.create(forge.as(alice), { name: 'Gone' });
  const owned = await forge.granted(alice, 'repo.own', repository);
  for (const confirmation of ['', 'alice/Gone', 'Alice/gone', 'Alice/Gone ', 'Gone'])
    await t.rejects(forge.useCases.delete(owned, { confirmation }), refusal('validation_failed'), confirmation);
  await forge.useCases.delete(owned, { confirmation: 'Alice/Gone' });
  t.equal(await forge.store.byId(repository.id), undefined);
  t.equal(forge.git.repositories.size, 0);
  t.equal(forge.intents.open_.size, 0);
  t.equal((await forge.events()).at(-1)?.type, 'repository.deleted');
  t.match(forge.audited.at(-1), {
    action: 'repository.deleted',
    resource: `repository:${repository.id}`,
    details: { owner: 'Alice', name: 'Gone', visibility: 'private' },
  });
  await t.rejects(forge.useCases.delete(owned, { confirmation: 'Alice/Gone' }), refusal('not_found'), 'a second time');
  t.equal(forge.intents.open_.size, 0);
});

void t.test('a committed change is not reported as rejected if its answer cannot be read', async (t) => {
  const forge = await world();
  t.teardown(() => forge.close());
  const call = forge.as(alice);
  const repository = await forge.useCases.create(call, { name: 'hello' });
  for (const [thrown, told] of [
    [
      new Unavailable('The database does not answer'),
      {
        kind: 'unavailable',
        message: /^The change was made/,
        detail: 'Look at the repository "Alice/hello" before you try again: The database does not answer',
      },
    ],
    [new TypeError('a fault of ours'), { message: /^a fault of ours/ }],
  ] as const) {
    forge.store.ownCounts = () => Promise.reject(thrown);
    await t.rejects(forge.useCases.record(call, { repository }), told);
  }
});
