// Whose quota the objects of merge requests from forks count for, until they are merged or pruned.
import t, { type Test } from 'tap';
import { mergeHeadRef, zeroOid, type Brought } from '#core/repositories/index';
import { alice, bob, carol, root, world } from './world.ts';

const MiB = 1024 ** 2;
const hour = 3_600_000;
const day = 24 * hour;
const signal = new AbortController().signal;

async function rig(t: Test) {
  let now = new Date('2026-01-01T00:00:00Z');
  const settings = { 'repositories.max_bytes_per_user': 1000 * MiB };
  const forge = await world({ settings, clock: { now: () => now } });
  t.teardown(() => forge.close());
  const target = await forge.useCases.create(forge.as(alice, now), { name: 'a', visibility: 'public' });
  const fork = await forge.useCases.fork(await forge.granted(bob, 'repo.read', target), {});
  /** A commit with its own bytes, offered by a request of the same name. */
  const offer = (requestId: string, { of = bob, size = 0, name = requestId } = {}) => {
    const commit = forge.git.commit(fork.id, `refs/heads/${name}`, { f: name });
    forge.git.ownSizes.set(commit, size);
    return { sourceRepositoryId: fork.id, commit, broughtFor: { requestId, userId: of.id } };
  };
  const { bring, keep, letGo } = forge.useCases.mergeHeads;
  return {
    forge,
    target,
    offer,
    /** Copies the commit, counted as this many bytes, and keeps it for an open request. */
    async open(number: number, offered: ReturnType<typeof offer>, bytes: number): Promise<void> {
      forge.git.brings = bytes;
      await bring(target.id, offered, { signal });
      await keep(target.id, number, { ...offered, sourceRepositoryId: target.id }, { signal });
      const { broughtFor, commit } = offered;
      forge.kept.push({ ...broughtFor, commit });
      forge.kept.sort((one, other) => (one.requestId < other.requestId ? -1 : 1));
    },
    async end(number: number, requestId: string): Promise<void> {
      forge.kept.splice(0, forge.kept.length, ...forge.kept.filter((one) => one.requestId !== requestId));
      await letGo(target.id, number, requestId);
    },
    /** Runs the job after this much time. @returns how many repositories it pruned. */
    async pruneAfter(milliseconds: number): Promise<number> {
      now = new Date(now.getTime() + milliseconds);
      const before = forge.git.pruned.length;
      await forge.useCases.pruneDue(signal);
      return forge.git.pruned.length - before;
    },
    /** The bytes of alice, whose repository has 2,000 MiB, and of bob, in MiB. */
    async bytes(): Promise<readonly number[]> {
      await forge.storage.unitOfWork.run(() => forge.store.resize(target.id, { to: 2000 * MiB }));
      return [(await forge.store.owned(alice.id)).bytes / MiB, (await forge.store.owned(bob.id)).bytes / MiB];
    },
    rows: (): Promise<readonly Brought[]> => forge.brought.find({ where: {}, orderBy: ['requestId'] }),
    async counted(): Promise<readonly (readonly [string, number])[]> {
      return (await this.rows()).map(({ requestId, bytes }) => [requestId, bytes]);
    },
  };
}

void t.test('what a request brings counts for its author until it is merged or pruned', async (t) => {
  const given = await rig(t);
  const { forge, target, offer, bytes } = given;
  const { bring, keep, takeOver } = forge.useCases.mergeHeads;
  const full = { code: 'quota_exceeded', message: /the author has no room/ };

  await given.open(1, offer('one', { size: 700 * MiB }), 700 * MiB);
  t.same(await bytes(), [1300, 700], 'the owner of the target needs no room');
  await t.rejects(bring(target.id, offer('two'), { signal }), full);
  await bring(target.id, offer('of root'), { signal, caller: root });
  t.same(await bytes(), [600, 1400], 'an administrator may exceed it');
  await takeOver('of root');
  t.same(await bytes(), [1300, 700], 'merged');

  await given.end(1, 'one');
  t.same(await forge.git.readRefs(target.id, [mergeHeadRef(1)]), [zeroOid]);
  t.same(await bytes(), [1300, 700], 'until the objects are pruned');
  t.equal(await given.pruneAfter(day), 0, 'young objects are kept');
  t.equal(await given.pruneAfter(2 * hour), 1);
  t.same((await bytes())[1], 0, 'bob has room again');

  await given.open(3, offer('three', { size: 700 * MiB }), 700 * MiB);
  await given.end(3, 'three');
  await keep(target.id, 3, { ...offer('three'), sourceRepositoryId: target.id }, { signal });
  forge.kept.push({ requestId: 'three', userId: bob.id, commit: offer('three', { size: 700 * MiB }).commit });
  await given.pruneAfter(30 * day);
  t.equal((await bytes())[1], 700, 'a reopened request is kept');
});

void t.test('small objects that are let go wait for the ordinary pruning', async (t) => {
  const given = await rig(t);
  await given.open(1, given.offer('one', { size: MiB }), MiB);
  await given.end(1, 'one');
  t.equal(await given.pruneAfter(2 * day), 0);
  t.same(await given.counted(), [['one', MiB]]);
  t.equal(await given.pruneAfter(12 * day), 1);
  t.same(await given.counted(), []);

  await given.open(2, given.offer('two', { size: 64 * MiB }), 64 * MiB);
  await given.end(2, 'two');
  t.equal(await given.pruneAfter(day + hour), 1, 'large ones do not');
});

void t.test('copies whose request is not opened are forgotten with their objects', async (t) => {
  const given = await rig(t);
  const { forge, target, offer } = given;
  forge.git.brings = 5 * MiB;
  await forge.useCases.mergeHeads.bring(target.id, offer('interrupted'), { signal });
  t.same(await given.counted(), [['interrupted', 5 * MiB]]);
  await given.pruneAfter(15 * day);
  t.same(await given.counted(), []);
});

void t.test('a kept request is not forgotten, also if its ref was there already', async (t) => {
  const given = await rig(t);
  const { forge, target, offer } = given;
  const { keep } = forge.useCases.mergeHeads;
  const offered = offer('one', { size: 5 * MiB });
  forge.git.brings = 5 * MiB;
  await keep(target.id, 1, { sourceRepositoryId: offered.sourceRepositoryId, commit: offered.commit }, { signal });
  await forge.useCases.mergeHeads.bring(target.id, offered, { signal });
  await keep(target.id, 1, { ...offered, sourceRepositoryId: target.id }, { signal });
  t.match(await given.rows(), [{ requestId: 'one', letGoAt: null }]);
});

void t.test('no row is written for a request that brings no bytes', async (t) => {
  const given = await rig(t);
  await given.open(1, given.offer('one'), 0);
  t.same(await given.rows(), []);
});

void t.test('a force push counts for as long as the commits before it are there', async (t) => {
  const given = await rig(t);
  await given.open(1, given.offer('one', { size: 5 * MiB }), 5 * MiB);
  given.forge.kept.length = 0;
  await given.open(1, given.offer('one', { size: 4 * MiB, name: 'again' }), 4 * MiB);
  t.same(await given.counted(), [['one', 9 * MiB]]);
  await given.pruneAfter(15 * day);
  t.same(await given.counted(), [['one', 4 * MiB]]);
});

void t.test('commits that several requests share count for one of those that keep them', async (t) => {
  const given = await rig(t);
  const { forge, offer } = given;
  const shared = { size: 5 * MiB, name: 'shared' };
  await given.open(1, offer('one', shared), 5 * MiB);
  await given.open(2, offer('two', { ...shared, of: carol }), 0);
  t.same(await given.counted(), [['one', 5 * MiB]]);
  await given.end(1, 'one');
  await given.pruneAfter(15 * day);
  t.same(await given.counted(), [['two', 5 * MiB]]);
  t.equal((await forge.store.owned(carol.id)).bytes, 5 * MiB);
  await given.end(2, 'two');
  await given.pruneAfter(15 * day);
  t.same(await given.rows(), []);
});

void t.test('commits that a branch of the target has belong to the target', async (t) => {
  const given = await rig(t);
  const offered = given.offer('one', { size: 5 * MiB });
  await given.open(1, offered, 5 * MiB);
  given.forge.git.ownSizes.set(offered.commit, 0);
  await given.pruneAfter(15 * day);
  t.same(await given.rows(), []);
});

void t.test('a row of a request that has ended is let go', async (t) => {
  const given = await rig(t);
  await given.open(1, given.offer('one', { size: 5 * MiB }), 5 * MiB);
  given.forge.kept.length = 0;
  await given.pruneAfter(15 * day);
  t.match(await given.rows(), [{ letGoAt: Date }]);
  await given.pruneAfter(15 * day);
  t.same(await given.rows(), []);
});

void t.test('a row that changes while it is measured stays unchanged', async (t) => {
  const given = await rig(t);
  const { forge, target, offer } = given;
  await given.open(1, offer('one', { size: 5 * MiB }), 6 * MiB);
  const { ownBytes } = forge.git;
  forge.git.ownBytes = async (...asked) => {
    forge.git.brings = MiB;
    await forge.useCases.mergeHeads.bring(target.id, offer('one', { name: 'later' }), { signal });
    return ownBytes.apply(forge.git, asked);
  };
  await given.pruneAfter(15 * day);
  t.same(await given.counted(), [['one', 7 * MiB]]);
});

void t.test('a repository is pruned although its requests cannot be measured', async (t) => {
  const given = await rig(t);
  await given.open(1, given.offer('one', { size: 5 * MiB }), 6 * MiB);
  given.forge.git.failing = { name: 'ownBytes', error: new Error('git failed') };
  t.equal(await given.pruneAfter(15 * day), 1);
  t.same(await given.counted(), [['one', 6 * MiB]]);
});
