// Pushes: what is recorded when they land, are rejected or are interrupted, and how the reconciler concludes
// interrupted ones.
import t from 'tap';
import { NotFound } from '#core/kernel/errors';
import { zeroOid, type Repository } from '#core/repositories/index';
import { reconciler } from '#core/repositories/push/reconciliation';
import { oid } from './fake-git.ts';
import { gate } from '#test/contracts/checks';
import { alice, log, world, type World } from './world.ts';

const [a, b, c] = [oid('a'), oid('b'), oid('c')];
const create = (ref: string, to = a) => ({ ref, old: zeroOid, new: to });

async function start(t: {
  teardown(work: () => Promise<void>): unknown;
}): Promise<{ forge: World; repository: Repository }> {
  const forge = await world();
  t.teardown(() => forge.close());
  return { forge, repository: await forge.useCases.create(forge.as(alice, new Date(0)), { name: 'a' }) };
}

const pushed = async (forge: World) =>
  (await forge.events()).filter(({ type }) => type === 'push').map(({ payload }) => payload);
const event = (repository: Repository, ref: string, old: string, next: string) => ({
  repository_id: repository.id,
  ref,
  old,
  new: next,
  actor: alice.id,
});

void t.test('a landed push emits one event per ref, updates updated_at and requests maintenance', async (t) => {
  const { forge, repository } = await start(t);
  t.equal(
    await forge.push(alice, repository, [create('refs/heads/main'), create('refs/tags/v1')]),
    'refs/heads/main,refs/tags/v1',
  );
  t.same(await pushed(forge), [
    event(repository, 'refs/heads/main', zeroOid, a),
    event(repository, 'refs/tags/v1', zeroOid, a),
  ]);
  t.ok(((await forge.store.byId(repository.id)) ?? repository).updatedAt > repository.updatedAt);
  t.equal(forge.intents.open_.size, 0);
  await forge.useCases.maintenance.stop();
  t.same(forge.git.maintained, [repository.id]);
});

void t.test('a rejected ref emits no event, the others of the push do', async (t) => {
  const { forge, repository } = await start(t);
  await forge.push(alice, repository, [create('refs/hexforge/x'), create('refs/heads/main')]);
  t.same(await pushed(forge), [event(repository, 'refs/heads/main', zeroOid, a)]);
  await forge.push(alice, repository, [create('refs/hexforge/y')]);
  t.equal((await pushed(forge)).length, 1);
  t.equal(forge.intents.open_.size, 0, 'a push that moved nothing leaves no intent');
});

void t.test('a concurrent push of the same commit that lost emits no second event', async (t) => {
  const { forge, repository } = await start(t);
  await forge.push(alice, repository, [create('refs/heads/main')]);
  await forge.push(alice, repository, [create('refs/heads/main')]);
  t.equal((await pushed(forge)).length, 1);
});

void t.test(
  'the first push into an empty repository makes its branch the default if the default does not exist',
  async (t) => {
    for (const [branches, expected] of [
      [['trunk'], 'trunk'],
      [['main'], 'main'],
      [['x', 'master'], 'master'],
      [['b', 'a'], 'b'],
    ] as const) {
      const { forge, repository } = await start(t);
      await forge.push(
        alice,
        repository,
        branches.map((name) => create(`refs/heads/${name}`)),
      );
      t.equal((await forge.store.byId(repository.id))?.defaultBranch, expected, branches.join());
      t.equal(forge.git.repositories.get(repository.id)?.head, expected);
      await forge.push(alice, repository, [create('refs/heads/later')]);
      t.equal((await forge.store.byId(repository.id))?.defaultBranch, expected, 'a later branch changes nothing');
    }
  },
);

void t.test('a tag alone changes no default branch', async (t) => {
  const { forge, repository } = await start(t);
  await forge.push(alice, repository, [create('refs/tags/v1')]);
  t.equal((await forge.store.byId(repository.id))?.defaultBranch, 'main');
});

void t.test('concurrent first pushes agree on one default branch', async (t) => {
  const { forge, repository } = await start(t);
  await Promise.all(['x', 'y', 'z'].map((name) => forge.push(alice, repository, [create(`refs/heads/${name}`)])));
  const record = await forge.store.byId(repository.id);
  t.equal(record?.defaultBranch, forge.git.repositories.get(repository.id)?.head);
  t.ok(['x', 'y', 'z'].includes(record?.defaultBranch ?? ''));
});

void t.test('an interrupted push is concluded from its refs', async (t) => {
  for (const [breaks, events] of [
    ['before refs move', 0],
    ['after refs moved', 1],
  ] as const) {
    const { forge, repository } = await start(t);
    forge.git.breaks = breaks;
    await t.rejects(forge.push(alice, repository, [create('refs/heads/trunk')]), { message: /killed/ });
    t.equal((await pushed(forge)).length, events, breaks);
    t.equal(forge.intents.open_.size, 0);
    t.equal((await forge.store.byId(repository.id))?.defaultBranch, events === 1 ? 'trunk' : 'main');
  }
});

void t.test('a push whose answer is not read is concluded too', async (t) => {
  const { forge, repository } = await start(t);
  const body = (async function* () {
    yield new TextEncoder().encode(JSON.stringify([create('refs/heads/main')]));
  })();
  const answer = await forge.useCases.pushes.receive(await forge.granted(alice, 'repo.write', repository), {
    protocol: undefined,
    body,
    signal: new AbortController().signal,
  });
  const reading = answer[Symbol.asyncIterator]();
  await reading.next();
  await reading.return?.();
  t.equal(forge.intents.open_.size, 0);
  t.equal((await pushed(forge)).length, 1);
});

void t.test('abandoned pushes get their events from the refs, two of one ref in order', async (t) => {
  const { forge, repository } = await start(t);
  const refs = forge.git.repositories.get(repository.id)?.refs;
  const announce = (ref: string, old: string, next: string) =>
    forge.intents.open({
      kind: 'repositories.push',
      subject: repository.id,
      detail: { actor: alice.id, updates: [{ ref, old, new: next }] },
    });
  await announce('refs/heads/main', b, c);
  await announce('refs/heads/main', a, b);
  await announce('refs/heads/lost', zeroOid, a);
  refs?.set('refs/heads/main', c);
  forge.intents.die();
  await forge.useCases.reconciler.run();
  t.same(await pushed(forge), [event(repository, 'refs/heads/main', a, b), event(repository, 'refs/heads/main', b, c)]);
  t.equal(forge.intents.open_.size, 0);
  await forge.useCases.reconciler.run();
  t.equal((await pushed(forge)).length, 2, 'once');
});

void t.test('a push concludes abandoned pushes before it, so that it does not hide their outcome', async (t) => {
  const { forge, repository } = await start(t);
  await forge.intents.open({
    kind: 'repositories.push',
    subject: repository.id,
    detail: { actor: alice.id, updates: [create('refs/heads/main')] },
  });
  forge.git.repositories.get(repository.id)?.refs.set('refs/heads/main', a);
  forge.intents.die();
  await forge.push(alice, repository, [{ ref: 'refs/heads/main', old: a, new: b }]);
  t.same(await pushed(forge), [
    event(repository, 'refs/heads/main', zeroOid, a),
    event(repository, 'refs/heads/main', a, b),
  ]);
});

void t.test('a push waits for a process that concludes abandoned pushes, with a time limit', async (t) => {
  const { forge, repository } = await start(t);
  const { storage, intents, store, git } = forge;
  const detail = { actor: alice.id, updates: [create('refs/heads/main')] };
  await intents.open({ kind: 'repositories.push', subject: repository.id, detail });
  intents.die();
  const go = gate();
  const vanished = storage.locks.exclusive('repositories.reconcile', () => go.passed);
  const { settlePushes } = reconciler(
    { ...storage, store, git, intents, clock: { now: () => new Date() }, log, maintenance: forge.useCases.maintenance },
    { waitMs: 5 },
  );
  const awake = setInterval(() => undefined, 1000);
  t.teardown(() => clearInterval(awake));
  await t.rejects(settlePushes(repository.id, ['refs/heads/main']), {
    kind: 'unavailable',
    message: 'An earlier push to this repository is not recorded yet',
  });
  go.open();
  await vanished;
  await settlePushes(repository.id, ['refs/heads/main']);
  t.equal(intents.open_.size, 0);
});

void t.test('a change whose intent was concluded by another process is rejected later', async (t) => {
  const { forge, repository } = await start(t);
  forge.git.commit(repository.id, 'refs/heads/dev', {});
  const refs = new Map(forge.git.repositories.get(repository.id)?.refs);
  const granted = await forge.granted(alice, 'repo.write', repository);
  const owned = await forge.granted(alice, 'repo.own', repository);
  const { open } = forge.intents;
  forge.intents.open = async (intent) => {
    const opened = await open.call(forge.intents, intent);
    forge.intents.open_.delete(opened.id);
    return opened as never;
  };
  const file = { path: 'f', message: 'm', content: new Uint8Array(1), branch: 'dev' };
  const changes: readonly (readonly [string, () => Promise<unknown>])[] = [
    ['a push', () => forge.push(alice, repository, [create('refs/heads/main')])],
    ['a branch over the API', () => forge.useCases.createBranch(granted, { name: 'side', baseRef: 'dev' })],
    ['a file', () => forge.useCases.writeContents(granted, file)],
    ['another default branch', () => forge.useCases.update(owned, { defaultBranch: 'dev' })],
    ['a deletion', () => forge.useCases.delete(owned, { confirmation: 'Alice/a' })],
  ];
  for (const [what, change] of changes)
    await t.rejects(change(), { kind: 'unavailable', message: /given up before it was made/ }, what);
  t.same(forge.git.repositories.get(repository.id)?.refs, refs);
  t.equal(forge.git.repositories.get(repository.id)?.head, 'main');
  t.equal((await forge.store.byId(repository.id))?.defaultBranch, 'main');
  t.same(await pushed(forge), []);
});

void t.test('a push into a repository deleted meanwhile emits no event', async (t) => {
  const { forge, repository } = await start(t);
  await forge.intents.open({
    kind: 'repositories.push',
    subject: repository.id,
    detail: { actor: alice.id, updates: [create('refs/heads/main')] },
  });
  forge.intents.die();
  await forge.useCases.delete(await forge.granted(alice, 'repo.own', repository), { confirmation: 'Alice/a' });
  await forge.useCases.reconciler.run();
  t.same(await pushed(forge), []);
  t.equal(forge.intents.open_.size, 0);
});

void t.test('a first push that lands while its repository is deleted succeeds and emits no event', async (t) => {
  for (const call of ['readRefs', 'setDefaultBranch'] as const) {
    const { forge, repository } = await start(t);
    forge.git[call] = async () => {
      await forge.store.delete(repository.id);
      throw new NotFound('The repository is not on disk');
    };
    t.equal(await forge.push(alice, repository, [create('refs/heads/trunk')]), 'refs/heads/trunk', call);
    t.same(await pushed(forge), []);
    t.equal(forge.intents.open_.size, 0);
  }
});

void t.test(
  'a push that landed while the database is down succeeds, and is recorded once when it is back',
  async (t) => {
    for (const [what, break_] of [
      ['the intent cannot be closed', (forge: World) => forge.intents.failClose()],
      ['a git call in between fails', (forge: World) => forge.git.failWith('setDefaultBranch')],
    ] as const) {
      const { forge, repository } = await start(t);
      break_(forge);
      t.equal(await forge.push(alice, repository, [create('refs/heads/trunk')]), 'refs/heads/trunk', what);
      t.same(await pushed(forge), [], 'not yet');
      t.equal(forge.intents.open_.size, 1);
      await forge.useCases.reconciler.run();
      t.same(await pushed(forge), [event(repository, 'refs/heads/trunk', zeroOid, a)]);
      t.equal((await forge.store.byId(repository.id))?.defaultBranch, 'trunk');
      t.equal(forge.intents.open_.size, 0);
      await forge.useCases.reconciler.run();
      t.equal((await pushed(forge)).length, 1, 'once');
    }
  },
);

void t.test('a push after an unrecorded one records that one first, whatever the ref is by then', async (t) => {
  const { forge, repository } = await start(t);
  forge.intents.failClose();
  await forge.push(alice, repository, [create('refs/heads/main')]);
  await forge.push(alice, repository, [{ ref: 'refs/heads/main', old: a, new: b }]);
  t.same(await pushed(forge), [
    event(repository, 'refs/heads/main', zeroOid, a),
    event(repository, 'refs/heads/main', a, b),
  ]);
});

void t.test('a record whose reply was lost is not written again, and not retried', async (t) => {
  const { forge, repository } = await start(t);
  forge.loseNextCommit();
  t.equal(await forge.push(alice, repository, [create('refs/heads/main')]), 'refs/heads/main');
  t.equal((await pushed(forge)).length, 1, 'it was committed');
  const failures = forge.logged.length;
  await forge.useCases.reconciler.run();
  await forge.useCases.reconciler.run();
  t.equal((await pushed(forge)).length, 1, 'once');
  t.equal(forge.logged.length, failures, 'it is not retried');
});

void t.test('a rejected push whose intent could not be closed is not counted as landed later', async (t) => {
  const { forge, repository } = await start(t);
  await forge.push(alice, repository, [create('refs/heads/main')]);
  forge.intents.failClose();
  t.equal(await forge.push(alice, repository, [create('refs/heads/main')]), '', 'the other push was first');
  await forge.useCases.reconciler.run();
  t.equal((await pushed(forge)).length, 1);
  t.equal(forge.intents.open_.size, 0);
});

void t.test('a push that was never allowed is not counted as landed, even if the ref has its new value', async (t) => {
  const { forge, repository } = await start(t);
  await forge.push(alice, repository, [create('refs/heads/main')]);
  forge.git.breaks = 'before refs move';
  await t.rejects(forge.push(alice, repository, [{ ref: 'refs/heads/main', old: b, new: a }]), { message: /killed/ });
  t.equal((await pushed(forge)).length, 1);
  t.equal(forge.intents.open_.size, 0);
});

void t.test('a push waits while the outcome of an earlier push of its ref is unknown', async (t) => {
  const { forge, repository } = await start(t);
  forge.git.breaks = 'after refs moved';
  forge.git.failWith('readRefs');
  await t.rejects(forge.push(alice, repository, [create('refs/heads/main')]), { message: /killed/ });
  forge.git.breaks = 'never';
  forge.git.failWith('readRefs');
  await t.rejects(forge.push(alice, repository, [{ ref: 'refs/heads/main', old: a, new: b }]), {
    kind: 'unavailable',
    message: /not recorded yet/,
  });
  t.equal(await forge.push(alice, repository, [{ ref: 'refs/heads/main', old: a, new: b }]), 'refs/heads/main');
  t.equal((await pushed(forge)).length, 2);
});

void t.test('a push of a ref whose last move is not recorded waits, a push of another ref does not', async (t) => {
  const { forge, repository } = await start(t);
  forge.intents.failClose(2);
  t.equal(await forge.push(alice, repository, [create('refs/heads/main')]), 'refs/heads/main');
  await t.rejects(forge.push(alice, repository, [{ ref: 'refs/heads/main', old: a, new: b }]), {
    kind: 'unavailable',
    message: /not recorded yet/,
  });
  forge.intents.failClose();
  t.equal(await forge.push(alice, repository, [create('refs/heads/side')]), 'refs/heads/side');
  t.equal(await forge.push(alice, repository, [{ ref: 'refs/heads/main', old: a, new: b }]), 'refs/heads/main');
  t.same(
    (await pushed(forge)).filter((payload) => 'ref' in payload && payload.ref === 'refs/heads/main'),
    [event(repository, 'refs/heads/main', zeroOid, a), event(repository, 'refs/heads/main', a, b)],
    'in the order in which they moved',
  );
});
