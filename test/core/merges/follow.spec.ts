// How merge requests follow pushes: the result depends only on the refs, whether events are repeated, late or
// concurrent.
import t from 'tap';
import { zeroOid } from '#core/repositories/index';
import { commit, fork, target, world } from './world.ts';

const [one, two, three, four, old] = [commit(1), commit(2), commit(3), commit(4), commit(9)];

void t.test('the head follows its source, once for repeated events', async (t) => {
  const given = await world();
  await given.add();
  given.tips.set(`${target} topic`, two);
  for (let round = 0; round < 3; round += 1) await given.pushed('topic', one, two);
  t.equal((await given.store.find(target, 1))?.headOid, two);
  t.equal(given.kept.get(1), two);
  t.strictSame(await given.events(), ['merge.pushed 1']);
  given.tips.delete(`${target} topic`);
  await given.pushed('topic', two, zeroOid);
  t.match(await given.store.find(target, 1), { state: 'open', headOid: two }, 'the source was deleted');
});

void t.test('a head that moved but was not kept is kept at the next delivery', async (t) => {
  for (const from of [target, fork]) {
    const given = await world();
    await given.add(from === fork ? { sourceRepositoryId: fork } : {});
    given.tips.set(`${from} topic`, two);
    const keep = given.kept.set.bind(given.kept);
    given.kept.set = () => {
      throw new Error('git is away');
    };
    await t.rejects(given.pushed('topic', one, two, { repository: from }), /git is away/);
    given.kept.set = keep;
    await given.pushed('topic', one, two, { repository: from });
    t.equal((await given.store.find(target, 1))?.headOid, two);
    t.equal(given.kept.get(1), two);
    t.strictSame(await given.events(), ['merge.pushed 1']);
  }
});

void t.test('a head that could not be kept because git was down is kept at the next delivery', async (t) => {
  for (const from of [target, fork]) {
    for (const isGone of [false, true]) {
      const given = await world();
      await given.add({ sourceRepositoryId: from });
      given.tips.set(`${from} topic`, two);
      given.hooks.gitIsAway = true;
      await t.rejects(given.pushed('topic', one, two, { repository: from }), { kind: 'unavailable', message: /away/ });
      t.equal((await given.store.find(target, 1))?.headOid, two, 'the stored head moved');
      given.hooks.gitIsAway = false;
      if (isGone) given.tips.delete(`${from} topic`);
      await given.pushed('topic', one, two, { repository: from });
      t.equal(given.kept.get(1), two, `${from}, ${isGone ? 'whose branch is gone' : 'whose branch is there'}`);
      t.strictSame(await given.events(), ['merge.pushed 1']);
    }
  }
});

void t.test('an ordinary push keeps the head once', async (t) => {
  const given = await world();
  await given.add();
  given.tips.set(`${target} topic`, two);
  await given.pushed('topic', one, two);
  t.equal(given.counts.kept, 1);
});

void t.test('a late event moves the head to the current tip of the source', async (t) => {
  const given = await world();
  await given.add();
  given.tips.set(`${target} topic`, three);
  await given.pushed('topic', one, two);
  await given.pushed('topic', two, three);
  t.equal((await given.store.find(target, 1))?.headOid, three);
  t.strictSame(await given.events(), ['merge.pushed 1']);
});

void t.test('a source that moves while it is followed is followed to its last tip', async (t) => {
  const given = await world();
  const { id } = await given.add();
  given.tips.set(`${target} topic`, two);
  given.hooks.beforeTip = async () => {
    given.hooks.beforeTip = async () => undefined;
    given.tips.set(`${target} topic`, three);
    await given.storage.unitOfWork.run(() => given.store.update(id, { headOid: four, updatedAt: new Date() }));
  };
  await given.pushed('topic', one, two);
  t.equal((await given.store.find(target, 1))?.headOid, three);
  t.equal(given.kept.get(1), three);
});

void t.test('closed and merged requests do not change', async (t) => {
  const given = await world();
  await given.add({ state: 'closed' });
  await given.add({ state: 'merged' });
  given.tips.set(`${target} topic`, two);
  await given.pushed('topic', one, two);
  await given.pushed('main', old, one);
  await given.pushed('main', one, zeroOid);
  t.strictSame(await given.events(), []);
});

void t.test(
  'the commits of a fork are fetched before the head moves; without disk space it does not move',
  async (t) => {
    const given = await world();
    await given.add({ sourceRepositoryId: fork });
    given.tips.set(`${fork} topic`, two);
    given.hooks.noRoom = true;
    await given.pushed('topic', one, two, { repository: fork });
    t.equal((await given.store.find(target, 1))?.headOid, one);
    t.equal(given.warned.length, 1, 'a warning is logged');
    given.hooks.noRoom = false;
    await given.pushed('topic', one, two, { repository: fork });
    t.strictSame([given.brought, given.kept.get(1)], [[two], two]);
    t.equal((await given.store.find(target, 1))?.headOid, two);
  },
);

void t.test('a head that reaches the target is merged, by the commit that contains it', async (t) => {
  const given = await world();
  given.parents.set(one, [old]);
  given.parents.set(two, [old, one]);
  given.parents.set(three, [two]);
  given.tips.set(`${target} topic`, one);
  await given.add();
  await given.add({ sourceBranch: 'other', headOid: four });
  for (let round = 0; round < 2; round += 1) await given.pushed('main', old, three);
  t.match(await given.store.find(target, 1), {
    state: 'merged',
    mergeCommit: two,
    baseOid: old,
    mergedById: 'bob',
    closedAt: null,
  });
  t.equal((await given.store.find(target, 2))?.state, 'open');
  t.strictSame(await given.events(), ['merge.merged 1']);
});

void t.test(
  'a push takes two comparisons for any number of open requests, and one history if it contains some',
  async (t) => {
    const given = await world();
    given.parents.set(two, [one]);
    for (let count = 0; count < 50; count += 1) await given.add({ sourceBranch: `b${count}`, headOid: two });
    await given.pushed('main', one, three);
    t.match(given.counts, { divergence: 1, history: 0 }, 'it contains none');
    given.parents.set(four, [two]);
    await given.pushed('main', one, four);
    t.match(given.counts, { divergence: 3, history: 1 });
    t.equal(await given.store.count(target, { state: 'merged' }), 50);
  },
);

void t.test('a head that the target contained before the push is not merged by it', async (t) => {
  const given = await world();
  given.parents.set(two, [one]);
  await given.add();
  await given.pushed('main', one, two);
  t.equal((await given.store.find(target, 1))?.state, 'open');
});

void t.test(
  'a source that moved after the push is merged at its old head, one that moved with it at its new head',
  async (t) => {
    const given = await world();
    given.parents.set(two, [one]);
    given.parents.set(three, [two]);
    given.tips.set(`${target} topic`, four);
    await given.add();
    await given.pushed('main', old, one);
    t.match(await given.store.find(target, 1), { state: 'merged', headOid: one, mergeCommit: one });
    given.tips.set(`${target} topic`, two);
    await given.add();
    await given.pushed('main', old, three);
    t.match(await given.store.find(target, 2), { state: 'merged', headOid: two });
  },
);

void t.test('a deleted target closes the requests that existed then', async (t) => {
  const given = await world();
  await given.add();
  await given.add({ sourceBranch: 'later', createdAt: new Date('2026-06-02T00:00:00.000Z') });
  await given.pushed('main', old, zeroOid, { when: new Date('2026-06-01T00:00:00.000Z') });
  t.match(await given.store.find(target, 1), { state: 'closed', baseOid: old, mergedAt: null });
  t.equal((await given.store.find(target, 2))?.state, 'open', 'the branch had been created again');
  t.strictSame(await given.events(), ['merge.closed 1']);
});

void t.test('the deletion of a target closes no request that was reopened or retargeted afterwards', async (t) => {
  const given = await world();
  const deleted = new Date('2026-06-01T00:00:00.000Z');
  const later = new Date('2026-06-02T00:00:00.000Z');
  const [changed, unchanged] = [await given.add(), await given.add({ sourceBranch: 'unchanged' })];
  const before = { updatedAt: new Date('2026-05-31T00:00:00.000Z') };
  await given.storage.unitOfWork.run(async () => {
    await given.store.update(changed.id, { updatedAt: later });
    await given.store.update(unchanged.id, before);
  });
  given.tips.set(`${target} main`, two);
  await given.pushed('main', old, zeroOid, { when: deleted });
  t.equal((await given.store.find(target, 1))?.state, 'open', 'the branch exists again');
  t.match(await given.store.find(target, 2), { state: 'closed' });
  given.tips.delete(`${target} main`);
  await given.pushed('main', old, zeroOid, { when: deleted });
  t.match(await given.store.find(target, 1), { state: 'closed' }, 'it does not exist any more');
});

void t.test('opened requests are kept, and catch up with earlier pushes', async (t) => {
  const given = await world();
  const request = await given.add();
  given.tips.set(`${target} topic`, two);
  const { repositoryId, number, sourceBranch, targetBranch, headOid } = request;
  const event = {
    id: 'opened',
    type: 'merge.opened',
    aggregate: `merge:${request.id}`,
    payload: {
      repository_id: repositoryId,
      merge_request_id: request.id,
      number,
      source_repository_id: target,
      source_branch: sourceBranch,
      target_branch: targetBranch,
      head: headOid,
    },
    at: new Date(),
  } as const;
  for (let round = 0; round < 2; round += 1) await given.follow.opened(event, given.signal);
  t.strictSame([given.kept.get(1), (await given.store.find(target, 1))?.headOid], [two, two]);
  t.strictSame(await given.events(), ['merge.pushed 1']);
});

void t.test('a request whose head the target does not have holds up no other request', async (t) => {
  const given = await world();
  given.parents.set(one, [old]);
  given.missing.add(four);
  given.lost.add(four);
  await given.add({ sourceRepositoryId: fork, headOid: four });
  await given.add({ sourceBranch: 'fine', headOid: one });
  await given.pushed('main', old, one);
  t.match(await given.store.find(target, 2), { state: 'merged' }, 'a push to the target');
  t.match(await given.store.find(target, 1), { state: 'open' });

  await given.add({ sourceRepositoryId: fork, targetBranch: 'next' });
  given.tips.set(`${fork} topic`, four);
  await given.pushed('topic', one, four, { repository: fork });
  t.match(await given.store.find(target, 3), { headOid: four }, 'a push to the source');
  given.lost.delete(four);
  await given.pushed('topic', one, four, { repository: fork });
  t.equal(given.kept.get(1), four, 'once its source has the commit');
});

void t.test('a push that starts at a commit that was pruned is followed', async (t) => {
  const given = await world();
  given.parents.set(one, [old]);
  given.missing.add(old);
  await given.add();
  await given.pushed('main', old, one);
  t.match(await given.store.find(target, 1), { state: 'merged' });
});
