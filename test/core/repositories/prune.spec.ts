// Pruning of repositories: when a repository is due, what is pruned, and the effect of concurrent pushes and failures.
import t from 'tap';
import { zeroOid, type Repository } from '#core/repositories/index';
import { oid } from './fake-git.ts';
import { alice, world, type World } from './world.ts';

const hour = 3_600_000;
const day = 24 * hour;
const start = Date.UTC(2026, 0, 1);

class TestClock {
  #now = start;
  now(): Date {
    return new Date(this.#now);
  }
  /** Sets the clock to this many milliseconds after the start. */
  at(milliseconds: number): void {
    this.#now = start + milliseconds;
  }
}

interface Rig {
  readonly clock: TestClock;
  readonly forge: World;
  readonly repository: Repository;
  add(name: string): Promise<Repository>;
  push(repository: Repository): Promise<string>;
  /** Runs the job. @returns the ids of the repositories that it pruned. */
  prune(): Promise<readonly string[]>;
}

async function rig(t: { teardown(work: () => Promise<void>): unknown }): Promise<Rig> {
  const clock = new TestClock();
  const forge = await world({ clock });
  t.teardown(() => forge.close());
  const add = (name: string): Promise<Repository> => forge.useCases.create(forge.as(alice, clock.now()), { name });
  let pushed = 0;
  return {
    clock,
    forge,
    add,
    repository: await add('a'),
    push: (repository) =>
      forge.push(alice, repository, [{ ref: `refs/heads/b${++pushed}`, old: zeroOid, new: oid('a') }]),
    async prune() {
      const before = forge.git.pruned.length;
      await forge.useCases.pruneDue(new AbortController().signal);
      return forge.git.pruned.slice(before).map(([id]) => id);
    },
  };
}

void t.test('a repository is pruned once, 14 days after a push, of objects older than a day', async (t) => {
  const { clock, forge, repository, push, prune } = await rig(t);
  clock.at(30 * day);
  t.same(await prune(), [], 'nothing was pushed');
  clock.at(0);
  await push(repository);
  clock.at(10 * day);
  await push(repository);
  clock.at(14 * day - 1);
  t.same(await prune(), []);
  clock.at(14 * day);
  t.same(await prune(), [repository.id]);
  t.same(forge.git.pruned, [[repository.id, new Date(start + 13 * day)]]);
  clock.at(100 * day);
  t.same(await prune(), [], 'nothing is left to prune');
  await push(repository);
  clock.at(114 * day);
  t.same(await prune(), [repository.id], 'the next push schedules the next pruning');
});

void t.test('a ref moved over the API counts as a push', async (t) => {
  const { clock, forge, repository, push, prune } = await rig(t);
  await push(repository);
  clock.at(14 * day);
  t.same(await prune(), [repository.id]);
  await forge.useCases.createBranch(await forge.granted(alice, 'repo.write', repository), {
    name: 'over-rest',
    baseRef: 'b1',
  });
  clock.at(28 * day);
  t.same(await prune(), [repository.id]);
});

void t.test('a failed push schedules no pruning', async (t) => {
  const { clock, forge, repository, prune } = await rig(t);
  await forge.push(alice, repository, [{ ref: 'refs/hexforge/x', old: zeroOid, new: oid('a') }]);
  clock.at(14 * day);
  t.same(await prune(), []);
});

void t.test('a repository updated within two hours is not pruned yet', async (t) => {
  const { clock, repository, push, prune } = await rig(t);
  await push(repository);
  clock.at(14 * day);
  await push(repository);
  clock.at(14 * day + 2 * hour);
  t.same(await prune(), []);
  clock.at(14 * day + 2 * hour + 1);
  t.same(await prune(), [repository.id]);
});

void t.test('if younger objects remain it is pruned again 14 days later', async (t) => {
  const { clock, forge, repository, push, prune } = await rig(t);
  await push(repository);
  forge.git.remaining = true;
  clock.at(15 * day);
  t.same(await prune(), [repository.id]);
  forge.git.remaining = false;
  clock.at(29 * day - 1);
  t.same(await prune(), []);
  clock.at(29 * day);
  t.same(await prune(), [repository.id]);
  clock.at(100 * day);
  t.same(await prune(), []);
});

void t.test('a push during a pruning schedules the next pruning', async (t) => {
  const { clock, forge, repository, push, prune } = await rig(t);
  await push(repository);
  clock.at(14 * day);
  forge.git.whilePruning = () => push(repository);
  t.same(await prune(), [repository.id]);
  forge.git.whilePruning = undefined;
  clock.at(28 * day - 1);
  t.same(await prune(), []);
  clock.at(28 * day);
  t.same(await prune(), [repository.id]);
});

void t.test('a push after the list of due repositories was read prevents the pruning', async (t) => {
  const { clock, forge, repository, add, push, prune } = await rig(t);
  const second = await add('b');
  for (const each of [repository, second]) {
    await push(each);
    clock.at(1);
  }
  clock.at(15 * day);
  forge.git.whilePruning = () => push(second);
  t.same(await prune(), [repository.id]);
  forge.git.whilePruning = undefined;
  clock.at(15 * day + 3 * hour);
  t.same(await prune(), [second.id]);
});

void t.test(
  'a failing pruning is postponed by a day and does not stop others, in the order of their schedule',
  async (t) => {
    const { clock, forge, repository, add, push, prune } = await rig(t);
    const others = [await add('b'), await add('c')];
    for (const [index, each] of [repository, ...others].entries()) {
      clock.at(index);
      await push(each);
    }
    clock.at(14 * day + hour);
    forge.git.failing = { name: 'prune', error: new Error('the disk is full') };
    t.same(
      await prune(),
      [repository, ...others].map(({ id }) => id),
    );
    clock.at(15 * day + hour - 1);
    t.same(await prune(), []);
    clock.at(15 * day + hour);
    t.same(await prune(), [repository.id]);
  },
);

void t.test('a stopped job starts no further pruning', async (t) => {
  const { clock, forge, repository, add, push, prune } = await rig(t);
  const second = await add('b');
  await push(repository);
  clock.at(1);
  await push(second);
  clock.at(14 * day + hour);
  const stopping = new AbortController();
  forge.git.whilePruning = async () => stopping.abort();
  await forge.useCases.pruneDue(stopping.signal);
  t.same(
    forge.git.pruned.map(([id]) => id),
    [repository.id],
  );
  forge.git.whilePruning = undefined;
  t.same(await prune(), [second.id]);
});
