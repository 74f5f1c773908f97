// Pruning: when a repository is due, what is kept from it, and what pushes and failures meanwhile do to the plan.
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
  /** To so many milliseconds after the start. */
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
  /** Runs the job. @returns the repositories that it pruned. */
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

void t.test('a repository is pruned once, 14 days after a push, of what is older than a day', async (t) => {
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
  t.same(await prune(), [], 'there is nothing more to go');
  await push(repository);
  clock.at(114 * day);
  t.same(await prune(), [repository.id], 'the next push plans the next');
});

void t.test('a ref that is moved over REST counts as pushed', async (t) => {
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

void t.test('a push that failed plans nothing', async (t) => {
  const { clock, forge, repository, prune } = await rig(t);
  await forge.push(alice, repository, [{ ref: 'refs/hexforge/x', old: zeroOid, new: oid('a') }]);
  clock.at(14 * day);
  t.same(await prune(), []);
});

void t.test('a repository that was updated within two hours waits', async (t) => {
  const { clock, repository, push, prune } = await rig(t);
  await push(repository);
  clock.at(14 * day);
  await push(repository);
  clock.at(14 * day + 2 * hour);
  t.same(await prune(), []);
  clock.at(14 * day + 2 * hour + 1);
  t.same(await prune(), [repository.id]);
});

void t.test('where younger objects stay it is pruned again 14 days later', async (t) => {
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

void t.test('a push while its repository is pruned is not lost', async (t) => {
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

void t.test('a push after the list was made keeps its repository from being pruned', async (t) => {
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
  'one that fails is put off by a day and stops no other, and they come in the order of their plans',
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

void t.test('a job that is stopped begins no further repository', async (t) => {
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
