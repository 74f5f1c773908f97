// Reads apply pushes whose events were not handled yet, to the requests that they show.
import t from 'tap';
import { Unavailable } from '#core/kernel/errors';
import { settledRequest } from '#core/merges/model/held-request';
import { zeroOid } from '#core/repositories/index';
import { commit, fork, target, world } from './world.ts';

const [one, two, three, old] = [commit(1), commit(2), commit(3), commit(9)];

const at = async (given: Awaited<ReturnType<typeof world>>, number = 1) =>
  settledRequest(given.parts, { id: target }, number, given.signal);

/** A page with these requests. */
const listed = async (given: Awaited<ReturnType<typeof world>>, ...numbers: readonly number[]) => {
  const rows = async () => {
    const found = await Promise.all(numbers.map((number) => given.store.find(target, number)));
    return [found.flatMap((row) => row ?? [])] as const;
  };
  return (await given.parts.settling.list(target, rows, given.signal))[0];
};

void t.test('a read of a request shows pushes to its source whose events are late', async (t) => {
  for (const from of [target, fork]) {
    const given = await world();
    await given.add({ sourceRepositoryId: from });
    given.tips.set(`${from} topic`, three);
    given.pending.push(
      given.pushOf('topic', one, two, { repository: from }),
      given.pushOf('topic', two, three, { repository: from }),
    );
    t.match(await at(given), { headOid: three });
    t.equal(given.kept.get(1), three);
    t.strictSame(await given.events(), ['merge.pushed 1']);
    await given.pushed('topic', one, two, { repository: from });
    t.strictSame(await given.events(), ['merge.pushed 1'], 'the event comes later and changes nothing');
  }
});

void t.test('a read shows that the head reached the target, by whom and by which commit', async (t) => {
  const given = await world();
  given.parents.set(one, [old]);
  given.parents.set(two, [old, one]);
  given.parents.set(three, [two]);
  given.tips.set(`${target} topic`, one);
  await given.add();
  given.pending.push(given.pushOf('main', old, three));
  t.match(await at(given), { state: 'merged', mergeCommit: two, baseOid: old, mergedById: 'bob' });
});

void t.test('a push of the source and of the target that are both late are applied in order', async (t) => {
  const given = await world();
  given.parents.set(one, [old]);
  given.parents.set(two, [one]);
  given.parents.set(three, [old, two]);
  await given.add({ sourceRepositoryId: fork });
  given.tips.set(`${fork} topic`, two);
  given.pending.push(given.pushOf('topic', one, two, { repository: fork }), given.pushOf('main', old, three));
  t.match(await at(given), { state: 'merged', headOid: two, mergeCommit: three });
});

void t.test('a read shows that the target was deleted; a request that was opened later stays open', async (t) => {
  const given = await world();
  await given.add();
  await given.add({ sourceBranch: 'later', createdAt: new Date('2026-06-01') });
  given.pending.push(given.pushOf('main', old, zeroOid, { when: new Date('2026-05-20') }));
  t.match(await at(given), { state: 'closed', baseOid: old });
  t.match(await at(given, 2), { state: 'open' });
});

void t.test('other requests and events are not touched; without pending events nothing is done', async (t) => {
  const given = await world();
  given.tips.set(`${target} topic`, two);
  given.tips.set(`${target} other`, two);
  await given.add();
  await given.add({ sourceBranch: 'other' });
  t.match(await at(given), { headOid: one });
  const id = String((await given.store.find(target, 1))?.id);
  t.strictSame(given.asked, [[`repository:${target}`, `merge:${id}`]], 'one question');
  given.pending.push(given.pushOf('elsewhere', one, two), given.pushOf('topic', one, two));
  t.match(await at(given), { headOid: two });
  t.match(await given.store.find(target, 2), { headOid: one }, 'the handler of the event does the rest');
  await given.add({ state: 'closed', sourceBranch: 'closed' });
  given.asked.length = 0;
  await at(given, 3);
  t.strictSame(given.asked, [], 'a closed request does not move');
});

void t.test('thousands of pending pushes of other refs do not hide a push of the source', async (t) => {
  const given = await world();
  given.tips.set(`${target} topic`, two);
  await given.add();
  const others = (under: string) =>
    Array.from({ length: 1100 }, (_, index) => given.pushOf(`other-${index}`, zeroOid, one, { under }));
  given.pending.push(given.pushOf('topic', one, two), ...others('heads'), ...others('tags'));
  t.match(await at(given), { headOid: two }, 'in the request');
  given.tips.set(`${target} topic`, three);
  given.pending.unshift(given.pushOf('topic', two, three));
  t.match(await listed(given, 1), [{ headOid: three }], 'in the list');
});

void t.test('concurrent reads of a request share the work', async (t) => {
  const given = await world();
  await given.add({ sourceRepositoryId: fork });
  given.tips.set(`${fork} topic`, two);
  given.pending.push(given.pushOf('topic', one, two, { repository: fork }));
  const seen = await Promise.all(Array.from({ length: 20 }, () => at(given)));
  t.ok(seen.every(({ headOid }) => headOid === two));
  t.strictSame(given.brought, [two], 'the commits are copied once');
});

void t.test('reads and the handler of the event do the work of one push once', async (t) => {
  const given = await world();
  await given.add({ sourceRepositoryId: fork });
  await given.add({ sourceBranch: 'own' });
  given.tips.set(`${fork} topic`, two).set(`${target} own`, two);
  const events = [given.pushOf('topic', one, two, { repository: fork }), given.pushOf('own', one, two)] as const;
  given.pending.push(...events);
  await Promise.all([at(given), at(given, 2), given.follow.pushed(events[0], given.signal)]);
  t.equal(given.counts.copies, 1, 'at the same time');
  const { kept } = given.counts;
  for (let round = 0; round < 3; round += 1) await Promise.all([at(given), at(given, 2)]);
  for (const event of events) await given.follow.pushed(event, given.signal);
  t.equal(given.counts.kept, kept, 'one after another');
});

void t.test('commits for which there is no room are not copied again by each read', async (t) => {
  const given = await world();
  await given.add({ sourceRepositoryId: fork });
  given.tips.set(`${fork} topic`, two);
  const event = given.pushOf('topic', one, two, { repository: fork });
  given.pending.push(event);
  given.hooks.noRoom = true;
  for (let round = 0; round < 3; round += 1) t.match(await at(given), { headOid: one });
  t.equal(given.counts.copies, 1);
});

void t.test('a list does not copy commits from forks, and leaves these requests to single reads', async (t) => {
  const given = await world();
  given.parents.set(two, [one]);
  given.parents.set(three, [old, two]);
  await given.add({ sourceRepositoryId: fork });
  await given.add({ sourceRepositoryId: fork, targetBranch: 'next' });
  given.tips.set(`${fork} topic`, two);
  given.pending.push(
    given.pushOf('topic', one, two, { repository: fork }),
    given.pushOf('main', old, three),
    given.pushOf('next', old, one),
  );
  t.match(await listed(given, 1, 2), [{ state: 'open', headOid: one }, { state: 'open' }]);
  t.equal(given.counts.copies, 0);
  t.match(await at(given), { state: 'merged', headOid: two }, 'the events of a request are applied in order');
});

void t.test('a copy that takes too long is left to the handler of the event', async (t) => {
  const given = await world({ readMs: 50 });
  await given.add({ sourceRepositoryId: fork });
  given.tips.set(`${fork} topic`, two);
  const event = given.pushOf('topic', one, two, { repository: fork });
  given.pending.push(event);
  given.hooks.untilAborted = true;
  t.match(await at(given), { headOid: one });
  t.match(await at(given), { headOid: one });
  t.equal(given.counts.copies, 1, 'the next read does not try again');
  given.hooks.untilAborted = false;
  await given.follow.pushed(event, given.signal);
  t.match(await at(given), { headOid: two });
});

void t.test('a caller who leaves does not end the work for others', async (t) => {
  const given = await world();
  await given.add({ sourceRepositoryId: fork });
  given.tips.set(`${fork} topic`, two);
  given.pending.push(given.pushOf('topic', one, two, { repository: fork }));
  const leaving = new AbortController();
  given.hooks.whileCopying = async () => leaving.abort(new Error('left'));
  const left = settledRequest(given.parts, { id: target }, 1, leaving.signal);
  const stays = at(given);
  await left.catch(() => undefined);
  t.match(await stays, { headOid: two });
});

void t.test('a push that cannot be applied leaves the answer unchanged', async (t) => {
  const given = await world();
  await given.add();
  given.tips.set(`${target} topic`, two);
  given.pending.push(given.pushOf('topic', one, two));
  given.hooks.beforeTip = async () => {
    throw new Unavailable('git is away');
  };
  t.match(await at(given), { headOid: one });
  given.hooks.beforeTip = async () => undefined;
  t.match(await at(given), { headOid: two }, 'the next answer tries again');
});

void t.test('a read moves the head of one of many requests with the same source', async (t) => {
  const given = await world();
  given.tips.set(`${target} topic`, two);
  await given.add();
  await given.add({ targetBranch: 'next' });
  given.pending.push(await given.moveOf(1), await given.moveOf(2));
  t.match(await at(given), { headOid: two });
  t.match(await given.store.find(target, 2), { headOid: one }, 'the handler of the event moves the other');
  t.match(await listed(given, 2), [{ headOid: two }]);
});

void t.test('a list applies pushes to its rows, and to requests that leave or enter the page', async (t) => {
  const given = await world();
  given.parents.set(one, [old]);
  given.tips.set(`${target} topic`, one);
  given.tips.set(`${target} fix`, two);
  await given.add();
  await given.add({ sourceBranch: 'fix', targetBranch: 'next' });
  given.pending.push(given.pushOf('main', old, one), given.pushOf('fix', one, two));
  t.strictSame(await listed(given), []);
  t.match(await given.store.find(target, 1), { state: 'merged' }, 'also if the page does not show it');
  t.strictSame(given.asked, [[`repository:${target}`], [`repository:${target}`]], 'two questions for the page');
  t.match(await listed(given, 2), [{ headOid: two }]);
});

void t.test('a read shows an event that is handled between the rows and the question for pending ones', async (t) => {
  for (const from of [target, fork])
    for (const read of ['request', 'list'] as const) {
      const given = await world();
      await given.add({ sourceRepositoryId: from });
      given.tips.set(`${from} topic`, two);
      const event = given.pushOf('topic', one, two, { repository: from });
      given.pending.push(event);
      let questions = 0;
      given.hooks.beforeQuestion = async () => {
        questions += 1;
        if (questions < (read === 'list' ? 2 : 1)) return;
        if (given.pending.pop() !== undefined) await given.follow.pushed(event, given.signal);
      };
      t.match(read === 'list' ? (await listed(given, 1))[0] : await at(given), { headOid: two }, `${read} of ${from}`);
    }
});
