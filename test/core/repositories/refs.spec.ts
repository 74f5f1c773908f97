// Branches, tags and protection on in-memory stores: audit entries before a ref moves, events after it, and interrupted
// changes.
import t from 'tap';
import { defaultProtection, zeroOid, type JudgeRefs, type RefUpdate, type Repository } from '#core/repositories/index';
import { roomForRefs, withinRoom } from '#core/repositories/push/ref-limit';
import { judgeRefs } from '#core/repositories/push/ref-policy';
import { oid } from './fake-git.ts';
import { alice, bob, refusal, root, world, type World } from './world.ts';

async function start(t: {
  teardown(work: () => Promise<void>): unknown;
}): Promise<{ forge: World; repository: Repository; tip: string }> {
  const forge = await world();
  t.teardown(() => forge.close());
  const repository = await forge.useCases.create(forge.as(alice, new Date(0)), { name: 'a', visibility: 'public' });
  return { forge, repository, tip: forge.git.commit(repository.id, 'refs/heads/main', { file: 'x' }) };
}

const told = async (forge: World) =>
  (await forge.events())
    .filter(({ type }) => type === 'push' || type.startsWith('branch.'))
    .map(({ type, payload }) => ({ type, ...payload }));

void t.test(
  'a branch created or deleted over the API emits the events of a push, updates updated_at and requests maintenance',
  async (t) => {
    const { forge, repository, tip } = await start(t);
    const { id } = repository;
    const granted = await forge.granted(alice, 'repo.write', repository);
    t.same(await forge.useCases.createBranch(granted, { name: 'side' }), { name: 'side', baseRef: 'main' });
    await forge.useCases.deleteBranch(granted, { name: 'side' });
    const push = { type: 'push', repository_id: id, ref: 'refs/heads/side', actor: alice.id };
    t.same(await told(forge), [
      { ...push, old: zeroOid, new: tip },
      { ...push, old: tip, new: zeroOid },
      { type: 'branch.deleted', repository_id: id, branch: 'side', old: tip, actor: alice.id },
    ]);
    t.ok(((await forge.store.byId(id))?.updatedAt.getTime() ?? 0) > 0);
    t.same(forge.git.maintained, [id, id]);
    t.equal(forge.intents.open_.size, 0);
  },
);

void t.test('the audit entry is written before the branch is deleted, and without it the branch stays', async (t) => {
  const { forge, repository } = await start(t);
  forge.git.commit(repository.id, 'refs/heads/side', {});
  const granted = await forge.granted(alice, 'repo.write', repository);
  forge.git.failing = { name: 'moveRefs', error: new Error('git is gone') };
  await t.rejects(forge.useCases.deleteBranch(granted, { name: 'side' }), { message: 'git is gone' });
  t.match(
    forge.audited.at(-1),
    { action: 'branch.deleted', details: { branch: 'side' } },
    'written before git was called',
  );
  t.equal(forge.intents.open_.size, 0, 'it did not move, and no intent is open');
  t.same(await told(forge), []);
});

void t.test('an interrupted move is answered and recorded by its outcome: moved or not', async (t) => {
  const { forge, repository, tip } = await start(t);
  const granted = await forge.granted(alice, 'repo.write', repository);
  forge.git.breaks = 'before refs move';
  await t.rejects(forge.useCases.createBranch(granted, { name: 'one' }), { message: /before/ });
  forge.git.breaks = 'after refs moved';
  t.same(await forge.useCases.createBranch(granted, { name: 'two' }), { name: 'two', baseRef: 'main' });
  t.same(await told(forge), [
    { type: 'push', repository_id: repository.id, ref: 'refs/heads/two', old: zeroOid, new: tip, actor: alice.id },
  ]);
  t.equal(forge.intents.open_.size, 0);
});

void t.test('an interrupted move with an unknown outcome is not reported as rejected', async (t) => {
  const { forge, repository, tip } = await start(t);
  const granted = await forge.granted(alice, 'repo.write', repository);
  const { moveRefs } = forge.git;
  forge.git.breaks = 'after refs moved';
  forge.git.moveRefs = async (id, updates) => {
    const moving = moveRefs.call(forge.git, id, updates);
    forge.git.failWith('readRefs');
    return moving;
  };
  await t.rejects(forge.useCases.createBranch(granted, { name: 'two' }), {
    kind: 'unavailable',
    message: 'The branch or tag may have been changed, or not',
  });
  t.match(await told(forge), [{ ref: 'refs/heads/two', old: zeroOid, new: tip }]);
});

void t.test(
  'a ref that moved while the database is down is reported as moved, and recorded once when it is back',
  async (t) => {
    const { forge, repository, tip } = await start(t);
    const granted = await forge.granted(alice, 'repo.write', repository);
    forge.intents.failClose();
    await forge.useCases.createBranch(granted, { name: 'one' });
    await forge.useCases.reconciler.run();
    forge.intents.failClose();
    await forge.useCases.createTag(granted, { name: 'v1' });
    forge.loseNextCommit();
    await forge.useCases.createTag(granted, { name: 'v2' });
    for (let run = 0; run < 2; run += 1) await forge.useCases.reconciler.run();
    const base = { repository_id: repository.id, old: zeroOid, new: tip, actor: alice.id };
    t.same(
      (await told(forge)).filter(({ type }) => type === 'push'),
      ['refs/heads/one', 'refs/tags/v1', 'refs/tags/v2'].map((ref) => ({ type: 'push', ref, ...base })),
    );
    t.equal(forge.intents.open_.size, 0);
  },
);

void t.test('a creation that lost against a concurrent creation emits no event', async (t) => {
  const { forge, repository, tip } = await start(t);
  const granted = await forge.granted(alice, 'repo.write', repository);
  const { moveRefs } = forge.git;
  forge.git.moveRefs = async (id, updates) => {
    forge.git.repositories.get(id)?.refs.set('refs/heads/race', tip);
    return moveRefs.call(forge.git, id, updates);
  };
  await t.rejects(forge.useCases.createBranch(granted, { name: 'race' }), refusal('conflict'));
  t.same(await told(forge), []);
  t.equal(forge.intents.open_.size, 0);
});

void t.test(
  'a branch that moves while it is deleted is deleted at its new commit, with an audit entry per attempt',
  async (t) => {
    const { forge, repository } = await start(t);
    const granted = await forge.granted(alice, 'repo.write', repository);
    const { refs } = forge.git.repositories.get(repository.id) ?? { refs: new Map<string, string>() };
    refs.set('refs/heads/busy', oid('a'));
    const { moveRefs } = forge.git;
    let moves = 1;
    forge.git.moveRefs = async (id, updates) => {
      if (moves-- > 0) refs.set('refs/heads/busy', oid('b'));
      return moveRefs.call(forge.git, id, updates);
    };
    await forge.useCases.deleteBranch(granted, { name: 'busy' });
    t.same(
      forge.audited.slice(-2).map(({ details }) => details['commit']),
      [oid('a'), oid('b')],
    );
    refs.set('refs/heads/busy', oid('a'));
    forge.git.moveRefs = async () => 'stale';
    await t.rejects(
      forge.useCases.deleteBranch(granted, { name: 'busy' }),
      refusal('unavailable'),
      'rejected after some attempts',
    );
    t.equal(forge.intents.open_.size, 0);
  },
);

void t.test('a branch deleted by a push emits branch.deleted too', async (t) => {
  const { forge, repository, tip } = await start(t);
  const side = forge.git.commit(repository.id, 'refs/heads/side', {});
  await forge.push(alice, repository, [
    { ref: 'refs/heads/side', old: side, new: zeroOid },
    { ref: 'refs/tags/t', old: zeroOid, new: tip },
  ]);
  t.same(
    (await told(forge)).filter(({ type }) => type === 'branch.deleted'),
    [{ type: 'branch.deleted', repository_id: repository.id, branch: 'side', old: side, actor: alice.id }],
  );
});

void t.test('at most 30 deletions in five minutes', async (t) => {
  const { forge, repository } = await start(t);
  const { refs } = forge.git.repositories.get(repository.id) ?? { refs: new Map<string, string>() };
  const remove = async (second: number, caller = alice) => {
    const call = forge.as(caller, new Date(second * 1000));
    refs.set('refs/heads/gone', oid('a'));
    await forge.useCases.deleteBranch(
      { ...(await forge.granted(caller, 'repo.write', repository)), call },
      { name: 'gone' },
    );
  };
  for (let second = 0; second < 30; second++) await remove(second);
  const error = (await remove(40).then(
    () => undefined,
    (thrown: unknown) => thrown,
  )) as { kind: string; retryAfter: number; count: object };
  t.match(error, {
    kind: 'rate_limited',
    retryAfter: 260,
    count: { limit: 30, remaining: 0, resource: 'branch.delete' },
  });
  t.ok(refs.has('refs/heads/gone'));
  await remove(40, root);
  await remove(300);
  await t.rejects(remove(300), refusal('rate_limited'));
});

void t.test('each change of a protection writes an event and an audit entry, a repetition neither', async (t) => {
  const { forge, repository } = await start(t);
  const granted = (await forge.granted(alice, 'repo.admin', repository)) as never;
  const { set, fetch, delete: unprotect } = forge.useCases.protections;
  t.same(await set(granted, { branch: 'main', wished: {} }), defaultProtection);
  await set(granted, { branch: 'main', wished: { pushRoles: ['admin', 'maintain', 'write', 'admin'] } });
  t.same(await set(granted, { branch: 'main', wished: { pushRoles: [] } }), {
    ...defaultProtection,
    pushRoles: [],
  });
  t.same(await fetch(granted, { branch: 'main' }), { ...defaultProtection, pushRoles: [] });
  await unprotect(granted, { branch: 'main' });
  await t.rejects(unprotect(granted, { branch: 'main' }), refusal('not_found'));
  await t.rejects(fetch(granted, { branch: 'main' }), refusal('not_found'));
  t.same(
    forge.audited.slice(1).map(({ action, details }) => [action, details['branch']]),
    [
      ['branch.protected', 'main'],
      ['branch.protected', 'main'],
      ['branch.unprotected', 'main'],
    ],
  );
  const fact = { type: 'branch.protection_changed', repository_id: repository.id, branch: 'main' };
  t.same(await told(forge), [
    { ...fact, protected: true },
    { ...fact, protected: true },
    { ...fact, protected: false },
  ]);
});

void t.test('the judge: who may push to a protected branch with which role', async (t) => {
  const { forge, repository, tip } = await start(t);
  await forge.storage.unitOfWork.run(() =>
    forge.collaborators.put(repository.id, bob.id, { role: 'write', permissions: [] }, new Date()),
  );
  const lands = async (caller: typeof alice, ref: string, pushRoles: readonly string[]): Promise<boolean> => {
    await forge.storage.unitOfWork.run(() =>
      forge.protections.put(
        repository.id,
        'main',
        { ...defaultProtection, allowForcePush: true, allowDeletion: true, pushRoles },
        new Date(),
      ),
    );
    const old = forge.git.repositories.get(repository.id)?.refs.get(ref) ?? zeroOid;
    return (await forge.push(caller, repository, [{ ref, old, new: old === tip ? oid('other') : tip }])) === ref;
  };
  const table = [
    [alice, ['admin'], true],
    [alice, ['write'], false],
    [alice, [], false],
    [root, ['admin'], true],
    [root, ['write', 'maintain'], false],
    [bob, ['write'], true],
    [bob, ['admin'], false],
    [bob, ['maintain', 'admin'], false],
  ] as const;
  for (const [caller, roles, expected] of table) {
    t.equal(
      await lands(caller, 'refs/heads/main', roles),
      expected,
      `${caller.username} where ${roles.join(', ')} may`,
    );
    for (const ref of ['refs/tags/main', 'refs/heads/other', 'refs/notes/main'])
      t.equal(await lands(caller, ref, roles), true, ref);
  }
});

/** As many refs as a repository may have. */
const full = () => Array.from({ length: 100_000 }, (_, index) => ({ name: `refs/tags/t${index}`, oid: oid(1) }));

void t.test('a repository with 100,000 refs accepts no other, over the API or by a push', async (t) => {
  const { forge, repository, tip } = await start(t);
  const granted = await forge.granted(alice, 'repo.write', repository);
  forge.git.listed = full;
  const tooMany = refusal('unprocessable');
  await t.rejects(forge.useCases.createBranch(granted, { name: 'one-more' }), tooMany);
  await t.rejects(forge.useCases.createTag(granted, { name: 'one-more' }), tooMany);
  const judge = (...asked: Parameters<JudgeRefs>): ReturnType<JudgeRefs> =>
    withinRoom(
      roomForRefs({ git: forge.git, comingRefs: new Map() }, repository.id),
      judgeRefs(forge, repository, granted.call.caller),
    )(...asked);
  const [create, move, remove] = [
    { ref: 'refs/heads/more', old: zeroOid, new: tip },
    { ref: 'refs/heads/main', old: tip, new: oid(9) },
    { ref: 'refs/tags/t1', old: oid(1), new: zeroOid },
  ];
  const verdicts = async (updates: readonly RefUpdate[]) =>
    (await judge(updates, { isAncestor: async () => true, atomic: false, size: async () => 0 })).map(
      ({ ref, refusal }) => [ref, refusal?.slice(0, 33)],
    );
  t.same(await verdicts([create, move]), [
    ['refs/heads/more', 'a repository may have 100000 refs'],
    ['refs/heads/main', undefined],
  ]);
  t.same(
    (await verdicts([remove, create])).map(([, refusal]) => refusal),
    [undefined, undefined],
    'one deleted, one created',
  );
  const many = (kind: string, update: Omit<RefUpdate, 'ref'>) =>
    Array.from({ length: 40 }, (_, index) => ({ ...update, ref: `refs/tags/${kind}${index}` }));
  const exchanged = await verdicts([
    ...many('gone', { old: oid(1), new: zeroOid }),
    ...many('new', { old: zeroOid, new: tip }),
  ]);
  t.equal(
    exchanged.filter(([, refused]) => refused === undefined).length,
    40 + 30,
    'more deletions than allowed at once make no room',
  );
  t.match(
    await verdicts([{ ref: 'refs/heads/main', old: tip, new: zeroOid }, create]),
    [
      ['refs/heads/main', /default branch/],
      ['refs/heads/more', /100000/],
    ],
    'a rejected deletion makes no room either',
  );
  forge.git.listed = () => [{ name: `refs/tags/${'x'.repeat(16 * 1024 ** 2)}`, oid: oid(1) }];
  await t.rejects(forge.useCases.createBranch(granted, { name: 'long' }), refusal('unprocessable'), 'so do long names');
});

void t.test('concurrent changes share the remaining room for refs (item 15)', async (t) => {
  const { forge, repository, tip } = await start(t);
  const { refs } = forge.git.repositories.get(repository.id) ?? { refs: new Map<string, string>() };
  const others = full().slice(10);
  forge.git.listed = () => [...others, ...[...refs].map(([name, at]) => ({ name, oid: at }))];
  const granted = await forge.granted(alice, 'repo.write', repository);
  const pushed = (name: string): Promise<string> =>
    forge.push(
      alice,
      repository,
      Array.from({ length: 6 }, (_, index) => ({ ref: `refs/tags/${name}${index}`, old: zeroOid, new: tip })),
    );
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  let judged = 0;
  const { promise: all, resolve: allJudged } = Promise.withResolvers<void>();
  forge.git.whileMoving = () => {
    judged += 1;
    if (judged === 4) allJudged();
    return gate;
  };
  const under = Promise.all(['a', 'b', 'c', 'd'].map(pushed));
  await all;
  await t.rejects(forge.useCases.createBranch(granted, { name: 'more' }), refusal('unprocessable'));
  await t.rejects(forge.useCases.createTag(granted, { name: 'more' }), refusal('unprocessable'));
  open();
  t.equal((await under).join(',').split(',').filter(Boolean).length, 9);
  t.equal(forge.git.listed('all').length, 100_000);
  refs.delete('refs/tags/a0');
  forge.git.whileMoving = () => Promise.reject(new Error('killed before refs moved'));
  await t.rejects(pushed('e'), /killed/);
  forge.git.whileMoving = undefined;
  await forge.useCases.createBranch(granted, { name: 'more' });
  t.equal(forge.git.listed('all').length, 100_000, 'interrupted pushes occupy no room');
});

void t.test('a page of branches reads only its own commits, and none if the client has the page', async (t) => {
  const { forge, repository, tip } = await start(t);
  const asked: number[] = [];
  const { tips } = forge.git;
  forge.git.tips = (id, oids) => {
    asked.push(oids.length);
    return tips.call(forge.git, id, oids);
  };
  forge.git.listed = () =>
    Array.from({ length: 20_000 }, (_, index) => ({ name: `refs/heads/b${String(index).padStart(5, '0')}`, oid: tip }));
  const granted = await forge.granted(alice, 'repo.read', repository);
  const query = { page: 200, perPage: 100, includeDivergence: false };
  const found = await forge.useCases.branches(granted, query);
  t.same(asked, [], 'its tag is known before');
  const page = await found.read();
  t.same([page.items.length, page.items.at(-1)?.name, page.total, asked], [100, 'b19999', 20_000, [100]]);
  for (const sort of ['last_commit_at', 'ahead', 'behind'] as const)
    await t.rejects(forge.useCases.branches(granted, { ...query, sort }), refusal('unprocessable'), sort);
  await forge.useCases.branches(granted, { ...query, sort: 'name', order: 'desc' });
});
