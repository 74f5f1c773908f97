// Many requests from one source: a push does one piece of work per request, and their number is limited.
import t from 'tap';
import { checkSourceLimit, mostFromSource } from '#core/merges/requests/source-limit';
import { commit, fork, target, world } from './world.ts';

const [one, two] = [commit(1), commit(2)];

void t.test('a push to the source of many requests moves no head itself, and has one event per request', async (t) => {
  const given = await world();
  for (let count = 0; count < 250; count += 1) await given.add({ targetBranch: `target-${count}` });
  given.tips.set(`${target} topic`, two);
  await given.pushed('topic', one, two);
  t.equal(given.counts.kept, 0);
  t.strictSame(
    (await given.events()).toSorted(),
    Array.from({ length: 250 }, (_, index) => `merge.source_moved ${index + 1}`).toSorted(),
  );
  await given.sourceMoved(7);
  t.equal((await given.store.find(target, 7))?.headOid, two);
  t.equal((await given.store.find(target, 8))?.headOid, one);
  t.equal(given.kept.get(7), two);
  await given.sourceMoved(7);
  t.equal((await given.events()).filter((event) => event === 'merge.pushed 7').length, 1, 'once for repeated events');
});

void t.test('one user has a limited number of open requests from one branch', async (t) => {
  const given = await world();
  const pair = { repositoryId: target, sourceRepositoryId: fork, sourceBranch: 'topic', targetBranch: 'other' };
  const add = async (patch: object, count: number): Promise<void> => {
    for (let done = 0; done < count; done += 1)
      await given.add({ sourceRepositoryId: fork, targetBranch: `${JSON.stringify(patch)} ${done}`, ...patch });
  };
  await add({}, mostFromSource - 1);
  await add({ state: 'closed' }, 5);
  await add({ authorId: 'bob' }, 5);
  await add({ sourceBranch: 'next' }, 5);
  await t.resolves(checkSourceLimit(given.store, pair, 'alice'));
  await add({ isDraft: true }, 1);
  await t.rejects(checkSourceLimit(given.store, pair, 'alice'), { code: 'quota_exceeded', message: /100/ });
  await t.resolves(checkSourceLimit(given.store, pair, 'bob'));
  await t.resolves(checkSourceLimit(given.store, { ...pair, sourceRepositoryId: undefined }, 'alice'));
});
