// Checks of pruning: unreachable objects are removed when they are old enough, everything else remains, and concurrent
// work is not disturbed.
import assert from 'node:assert/strict';
import { zeroOid, type GitBackend, type Oid } from '#core/repositories/git/git-backend';
import type { Check } from '../checks.ts';
import { bytesOf, client, commitFile, fresh, type Bench } from './provider.ts';
import { git, must } from './stock-git.ts';

const hour = 3_600_000;
/** Cutoff dates: every object was written before the first and after the second. */
const later = (): Date => new Date(Date.now() + hour);
const earlier = (): Date => new Date(Date.now() - hour);

interface Dropped {
  readonly id: string;
  readonly folder: string;
  readonly kept: Oid;
  /** A commit that only a deleted branch reached, and its file `secret`. */
  readonly commit: Oid;
  readonly blob: Oid;
}

async function dropped(bench: Bench): Promise<Dropped> {
  const id = await fresh(bench);
  const folder = await client(bench, id, ['one', 'two']);
  const kept = await must(folder, ['rev-parse', 'HEAD']);
  await must(folder, ['push', '-q', 'origin', 'main']);
  await must(folder, ['checkout', '-q', '-b', 'dropped']);
  const commit = await commitFile(folder, 'secret', `secret of ${id}`);
  await must(folder, ['push', '-q', 'origin', 'dropped']);
  await must(folder, ['push', '-q', 'origin', ':dropped']);
  await bench.backend.maintain(id);
  await must(folder, ['checkout', '-q', 'main']);
  return { id, folder, kept, commit, blob: await must(folder, ['rev-parse', 'dropped:secret']) };
}

/** Looks up the commit and its file in every way that takes an oid. */
async function answers(backend: GitBackend, { id, commit, blob }: Dropped): Promise<readonly boolean[]> {
  const found = await Promise.all([
    backend.resolveCommit(id, commit),
    backend.commitRecord(id, commit),
    backend.entry(id, commit, 'secret'),
    backend.tips(id, [commit]).then((tips) => tips.get(commit)),
    backend.lastCommits(id, commit, '').then((commits) => commits.get('secret')),
    backend.history(id, { tip: commit, skip: 0, limit: 1 }).then(
      ([first]) => first,
      () => undefined,
    ),
    backend.difference(id, undefined, commit).catch(() => undefined),
    backend.blob(id, blob).then(
      async ({ bytes }) => await bytesOf(bytes),
      (error: Error) => assert.equal(error.name, 'NotFound'),
    ),
  ]);
  return found.map((answer) => answer !== undefined);
}

const all = (answer: boolean): readonly boolean[] => Array.from({ length: 8 }, () => answer);

async function assertWhole(bench: Bench, id: string): Promise<void> {
  const clone = `${bench.folder}/${id}-${crypto.randomUUID()}.git`;
  await must(bench.folder, ['clone', '-q', '--mirror', bench.server.url(id), clone]);
  assert.equal((await git(clone, ['fsck', '--full', '--strict'])).code, 0);
}

export const pruneChecks: readonly Check<Bench>[] = [
  {
    name: 'a pruning removes unreachable objects, also from caches, and keeps all others',
    async run(bench) {
      const { backend } = bench;
      const old = await dropped(bench);
      const { id, kept } = old;
      const refs = await backend.refs(id, 'all');
      assert.deepEqual(await answers(backend, old), all(true), 'before pruning it is found by its oid');
      assert.deepEqual(await backend.prune(id, { before: later() }), { remaining: false });
      assert.deepEqual(await answers(backend, old), all(false));
      assert.deepEqual(await backend.refs(id, 'all'), refs);
      assert.equal((await backend.entry(id, kept, 'file'))?.size, 3);
      assert.equal((await backend.history(id, { tip: kept, skip: 0, limit: 9 })).length, 2);
      await assertWhole(bench, id);
      assert.deepEqual(
        await backend.prune(id, { before: later() }),
        { remaining: false },
        'a second pruning finds nothing',
      );
      assert.deepEqual(await bench.traces(), []);
    },
  },
  {
    name: 'objects written after the cutoff remain, are reported, and are removed by a later pruning',
    async run(bench) {
      const { backend } = bench;
      const young = await dropped(bench);
      assert.deepEqual(await backend.prune(young.id, { before: earlier() }), { remaining: true });
      assert.deepEqual(await answers(backend, young), all(true));
      await assertWhole(bench, young.id);
      assert.deepEqual(await backend.prune(young.id, { before: later() }), { remaining: false });
      assert.deepEqual(await answers(backend, young), all(false));
    },
  },
  {
    name: 'objects of a hidden ref and of an annotated tag remain, and objects of a deleted tag are removed',
    async run(bench) {
      const { backend } = bench;
      const hidden = await dropped(bench);
      const { id, commit } = hidden;
      const tagOf = async (name: string): Promise<Oid> =>
        await backend.writeTag(id, {
          name,
          commit,
          message: name,
          tagger: { name: 'Ada', email: 'a@b', date: new Date(0) },
        });
      const [tag, gone] = [await tagOf('kept'), await tagOf('gone')];
      assert.equal(await backend.moveRefs(id, [{ ref: 'refs/hexforge/kept', old: zeroOid, new: tag }]), 'moved');
      assert.deepEqual(await backend.prune(id, { before: later() }), { remaining: false });
      assert.deepEqual(await answers(backend, hidden), all(true));
      assert.deepEqual([...(await backend.tips(id, [tag, gone])).keys()], [tag]);
    },
  },
  {
    name: 'an object that was pruned can be pushed again',
    async run(bench) {
      const again = await dropped(bench);
      await bench.backend.prune(again.id, { before: later() });
      await must(again.folder, ['push', '-q', 'origin', 'dropped:back']);
      assert.deepEqual(await answers(bench.backend, again), all(true));
      await assertWhole(bench, again.id);
    },
  },
  {
    name: 'pushes, reads, clones and maintenance continue during prunings, and every push is complete afterwards',
    async run(bench) {
      const { backend } = bench;
      const beside = await dropped(bench);
      const { id, folder, kept } = beside;
      let pruning = true;
      const prunings = (async () => {
        for (let times = 0; times < 4; times += 1) await backend.prune(id, { before: earlier() });
        pruning = false;
      })();
      const reads = (async () => {
        while (pruning) assert.equal((await backend.entry(id, kept, 'file'))?.size, 3);
      })();
      const pushes = (async () => {
        for (let turn = 0; pruning; turn += 1) {
          await commitFile(folder, 'file', `${turn} meanwhile`);
          await must(folder, [
            'push',
            '-q',
            'origin',
            'main',
            `main:turn-${turn}`,
            ...(turn === 0 ? [] : [`:turn-${turn - 1}`]),
          ]);
          await backend.maintain(id);
          await assertWhole(bench, id);
        }
      })();
      await Promise.all([prunings, reads, pushes]);
      assert.equal(await backend.resolveCommit(id, 'main'), await must(folder, ['rev-parse', 'main']));
      await assertWhole(bench, id);
    },
  },
  {
    name: 'pruning an empty repository succeeds, an unknown one is NotFound, and an aborted pruning rejects',
    async run(bench) {
      const { backend } = bench;
      const id = await fresh(bench);
      assert.deepEqual(await backend.prune(id, { before: later() }), { remaining: false });
      await backend.remove(id);
      await assert.rejects(backend.prune(id, { before: later() }), { name: 'NotFound' });
      const kept = await dropped(bench);
      await assert.rejects(
        backend.prune(kept.id, { before: later(), signal: AbortSignal.abort(new Error('stopping')) }),
        { message: 'stopping' },
      );
      assert.deepEqual(await answers(backend, kept), all(true));
      assert.deepEqual(await bench.traces(), []);
    },
  },
];
