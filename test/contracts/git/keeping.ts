// Checks of keeping commits of another repository: which objects are copied, what is refused, and what clients see of
// the hidden refs.
import assert from 'node:assert/strict';
import { mergeHeadRef, zeroOid, type JudgeRefs, type Oid } from '#core/repositories/git/git-backend';
import type { Check } from '../checks.ts';
import { bytesOf, client, commitFile, fresh, never, newId, type Bench } from './provider.ts';
import { git, must } from './stock-git.ts';

const ref = mergeHeadRef(1);
const admitted: JudgeRefs = async (updates) => updates.map((update) => ({ ref: update.ref, refusal: undefined }));
const hooks = { judge: admitted, signal: never };
/** Content that takes a kilobyte in every pack. */
const kilobyte = (): string => Array.from({ length: 30 }, () => crypto.randomUUID()).join('');

interface Forked {
  readonly target: string;
  readonly fork: string;
  /** A client's repository: `origin` is the target, `fork` the fork. */
  readonly folder: string;
  /** The tip of the fork's `topic`, which the target lacks. */
  readonly commit: Oid;
}

/** Target and fork have diverged: neither has the tip of the other. */
async function forked(bench: Bench): Promise<Forked> {
  const { backend, server } = bench;
  const target = await fresh(bench);
  const folder = await client(bench, target, Array.from({ length: 20 }, kilobyte));
  await must(folder, ['push', '-q', 'origin', 'main']);
  const fork = newId();
  await backend.fork(target, fork, { defaultBranch: 'main', signal: never });
  await must(folder, ['remote', 'add', 'fork', server.url(fork)]);
  await must(folder, ['checkout', '-q', '-b', 'topic', 'main']);
  const commit = await commitFile(folder, 'offered', kilobyte());
  await must(folder, ['push', '-q', 'fork', 'topic', 'topic~1:refs/heads/behind']);
  await must(folder, ['checkout', '-q', 'main']);
  await commitFile(folder, 'file', kilobyte());
  await must(folder, ['push', '-q', 'origin', 'main']);
  await must(folder, ['push', '-q', 'fork', ':main']);
  return { target, fork, folder, commit };
}

const at = async ({ backend }: Bench, id: string, name = ref): Promise<Oid | undefined> =>
  (await backend.readRefs(id, [name]))[0];

/** Every ref can be cloned with all its objects, and nothing is borrowed from another repository. */
async function assertWhole(bench: Bench, id: string, folder: string): Promise<void> {
  const clone = `${folder}/${newId()}.git`;
  await must(folder, ['clone', '-q', '--mirror', bench.server.url(id), clone]);
  const { code, stderr } = await git(clone, ['fsck', '--full', '--strict']);
  assert.equal(code, 0, stderr);
}

export const keepingChecks: readonly Check<Bench>[] = [
  {
    name: 'a commit of a fork is kept with everything it reaches, and survives the fork and a pruning',
    async run(bench) {
      const { backend } = bench;
      const { target, fork, folder, commit } = await forked(bench);
      assert.equal(await backend.keepCommit(target, { from: fork, commit, ref }, hooks), 'kept');
      assert.equal(await at(bench, target), commit);
      await backend.remove(fork);
      await backend.maintain(target);
      await backend.prune(target, { before: new Date(Date.now() + 3_600_000) });
      assert.equal((await backend.entry(target, commit, 'offered'))?.type, 'file');
      assert.equal((await backend.entry(target, commit, 'file'))?.type, 'file');
      assert.equal(await backend.resolveCommit(target, ref), commit);
      await assertWhole(bench, target, folder);
      assert.equal(await backend.keepCommit(target, { from: fork, commit, ref }, hooks).catch(nameOf), 'NotFound');
      assert.deepEqual(await bench.traces(), []);
    },
  },
  {
    name: 'only missing objects are copied, also if both repositories have diverged',
    async run(bench) {
      const { target, fork, commit } = await forked(bench);
      let size = 0;
      const judge: JudgeRefs = async (updates, objects) => {
        assert.deepEqual(updates, [{ ref, old: zeroOid, new: commit }]);
        size = await objects.size();
        return await admitted(updates, objects);
      };
      const before = await bench.backend.size(target);
      await bench.backend.keepCommit(target, { from: fork, commit, ref }, { judge, signal: never });
      // One blob of a kilobyte, a tree, a commit and the pack index; all twenty blobs would be larger.
      assert.ok(size > 1000 && size < 5000, String(size));
      assert.ok((await bench.backend.size(target)) - before < 6000);
    },
  },
  {
    name: 'clients may fetch the ref by name; lists and pushers do not see it, and forks do not have it',
    async run(bench) {
      const { backend, server } = bench;
      const { target, fork, folder, commit } = await forked(bench);
      const [refs, list] = [await backend.refs(target, 'all'), await backend.refList(target, 'all')];
      await backend.keepCommit(target, { from: fork, commit, ref }, hooks);
      assert.deepEqual(await backend.refs(target, 'all'), refs);
      assert.equal((await backend.refList(target, 'all')).digest, list.digest);
      for (const version of ['0', '1', '2']) {
        const asked = await must(folder, ['-c', `protocol.version=${version}`, 'ls-remote', 'origin', 'refs/merges/*']);
        assert.equal(asked, `${commit}\t${ref}`);
      }
      await must(folder, ['fetch', '-q', 'origin', `${ref}:offered`]);
      assert.equal(await must(folder, ['rev-parse', 'offered']), commit);
      const clone = `${folder}/${newId()}`;
      await must(folder, ['clone', '-q', server.url(target), clone]);
      assert.equal((await git(clone, ['cat-file', '-e', commit])).code, 1, 'a clone copies branches and tags only');
      const told = await backend.advertise(target, { service: 'git-receive-pack', protocol: undefined, signal: never });
      const advertised = (await bytesOf(told)).toString();
      assert.ok(advertised.includes('refs/heads/main') && !advertised.includes('refs/merges'));
      const second = newId();
      await backend.fork(target, second, { defaultBranch: 'main', signal: never });
      assert.equal(await at(bench, second), zeroOid);
      assert.equal(await backend.resolveCommit(second, commit), undefined);
    },
  },
  {
    name: 'a commit of the repository itself is kept by moving the ref alone, also to an older commit',
    async run(bench) {
      const { backend } = bench;
      const { target } = await forked(bench);
      const judge: JudgeRefs = () => assert.fail('nothing is brought');
      const tip = (await backend.resolveCommit(target, 'main')) ?? '';
      const [older = ''] = (await backend.commitRecord(target, tip))?.parents ?? [];
      for (const commit of [tip, tip, older, tip]) {
        assert.equal(await backend.keepCommit(target, { from: target, commit, ref }, { judge, signal: never }), 'kept');
        assert.equal(await at(bench, target), commit);
      }
    },
  },
  {
    name: 'after a force push of the fork the ref moves to its new commits, and to commits that are already present',
    async run(bench) {
      const { backend } = bench;
      const { target, fork, folder, commit } = await forked(bench);
      await backend.keepCommit(target, { from: fork, commit, ref }, hooks);
      await must(folder, ['checkout', '-q', '-b', 'other', 'topic~3']);
      const other = await commitFile(folder, 'other', 'another way');
      await must(folder, ['push', '-q', '-f', 'fork', 'other:topic']);
      const behind = await must(folder, ['rev-parse', 'topic~1']);
      for (const next of [other, behind, commit]) {
        assert.equal(await backend.keepCommit(target, { from: fork, commit: next, ref }, hooks), 'kept');
        assert.equal(await at(bench, target), next);
      }
      await assertWhole(bench, target, folder);
    },
  },
  {
    name: 'a keep that the judge refuses leaves nothing behind',
    async run(bench) {
      const { backend } = bench;
      const { target, fork, commit } = await forked(bench);
      const before = await backend.size(target);
      const judge: JudgeRefs = async () => [{ ref, refusal: 'there is no room' }];
      assert.equal(await backend.keepCommit(target, { from: fork, commit, ref }, { judge, signal: never }), 'refused');
      assert.equal(await at(bench, target), zeroOid);
      assert.equal(await backend.resolveCommit(target, commit), undefined);
      assert.equal(await backend.size(target), before);
      assert.deepEqual(await bench.traces(), []);
    },
  },
  {
    name: 'of concurrent keeps each returns its outcome, and the ref points to a commit of one that was kept',
    async run(bench) {
      const { backend } = bench;
      const { target, fork, folder, commit } = await forked(bench);
      const commits = [commit, ...(await must(folder, ['rev-list', '-3', 'topic~1'])).split('\n')];
      const outcomes = await Promise.all(
        commits.map((each) => backend.keepCommit(target, { from: fork, commit: each, ref }, hooks)),
      );
      const kept = commits.filter((_, index) => outcomes[index] === 'kept');
      assert.ok(kept.includes((await at(bench, target)) ?? ''), outcomes.join());
      assert.ok(outcomes.every((outcome) => outcome === 'kept' || outcome === 'stale'));
      await assertWhole(bench, target, folder);
    },
  },
  {
    name: 'each object that only kept commits reach is counted once, in bytes on disk',
    async run(bench) {
      const { backend } = bench;
      const { target, fork, folder, commit } = await forked(bench);
      await must(folder, ['checkout', '-q', '-b', 'shared', 'topic']);
      const shared = await commitFile(folder, 'shared', kilobyte());
      await must(folder, ['push', '-q', 'fork', 'shared']);
      await backend.keepCommit(target, { from: fork, commit, ref }, hooks);
      await backend.keepCommit(target, { from: fork, commit: shared, ref: mergeHeadRef(2) }, hooks);
      const [main = ''] = await backend.readRefs(target, ['refs/heads/main']);
      const sizes = async (...commits: readonly Oid[]) => backend.ownBytes(target, commits);
      const [first = 0, second = 0] = await sizes(commit, shared);
      assert.ok(
        [first, second].every((size) => size > 700 && size < 3000),
        `${first} ${second}`,
      );
      assert.deepEqual(await sizes(shared, commit), [first + second, 0], 'by the order of the list');
      assert.deepEqual(await sizes(shared), [first + second]);
      assert.deepEqual(await sizes(main, 'b'.repeat(40), commit), [0, 0, first]);
      await backend.moveRefs(target, [{ ref: 'refs/heads/taken', old: zeroOid, new: commit }]);
      assert.deepEqual(await sizes(commit, shared), [0, second], 'a branch has the first now');
      assert.deepEqual(await sizes(), []);
      await assert.rejects(backend.ownBytes(newId(), [commit]), { name: 'NotFound' });
    },
  },
  {
    name: 'a missing repository or commit is not kept',
    async run(bench) {
      const { backend } = bench;
      const { target, fork, folder, commit } = await forked(bench);
      const tree = await must(folder, ['rev-parse', 'topic^{tree}']);
      for (const [repository, from, offered] of [
        [newId(), fork, commit],
        [target, newId(), commit],
        [target, fork, 'b'.repeat(40)],
        [target, target, commit],
        [target, fork, tree],
        [target, fork, zeroOid],
      ] as const)
        await assert.rejects(backend.keepCommit(repository, { from, commit: offered, ref }, hooks), {
          name: 'NotFound',
        });
      assert.equal(await at(bench, target), zeroOid);
    },
  },
  {
    name: 'a keep that is aborted rejects and leaves nothing behind',
    async run(bench) {
      const { backend } = bench;
      const { target, fork, commit } = await forked(bench);
      const gone = new AbortController();
      const judge: JudgeRefs = async (updates, objects) => {
        gone.abort(new Error('gone'));
        return await admitted(updates, objects);
      };
      await assert.rejects(backend.keepCommit(target, { from: fork, commit, ref }, { judge, signal: gone.signal }), {
        message: 'gone',
      });
      assert.equal(await at(bench, target), zeroOid);
      assert.deepEqual(await bench.traces(), []);
    },
  },
  {
    name: 'if the fork or the target is removed meanwhile, the keep is NotFound or has finished before',
    async run(bench) {
      const { backend } = bench;
      for (const removed of ['fork', 'target'] as const) {
        const made = await forked(bench);
        const { target, fork, commit } = made;
        const keeping = backend.keepCommit(target, { from: fork, commit, ref }, hooks).catch(nameOf);
        await backend.remove(made[removed]);
        const outcome = await keeping;
        assert.ok(['kept', 'NotFound'].includes(outcome), outcome);
        if (removed === 'fork') assert.equal(await at(bench, target), outcome === 'kept' ? commit : zeroOid);
        if (removed === 'fork') await assertWhole(bench, target, made.folder);
      }
      assert.deepEqual(await bench.traces(), []);
    },
  },
];

const nameOf = (error: unknown): string => (error instanceof Error ? error.name : String(error));
