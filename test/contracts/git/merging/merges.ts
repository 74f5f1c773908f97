// Checks of merging on a bare repository: the commit equals the one git would make, and the update is announced, judged
// and reported like a push. A merge that fails leaves nothing behind.
import assert from 'node:assert/strict';
import type { MergeStrategy, MergeWrite, RefUpdate } from '#core/repositories/git/git-backend';
import type { PushHooks } from '#core/repositories/git/git-history';
import type { Check } from '../../checks.ts';
import { client, commitFile, fresh, imported, never, type Bench } from '../provider.ts';
import { must } from '../stock-git.ts';

const ada = { name: 'Ada', email: 'ada@example.org', date: new Date(1_700_000_000_000) };
const dates = { GIT_AUTHOR_DATE: '1700000000 +0000', GIT_COMMITTER_DATE: '1700000000 +0000' };
const ref = 'refs/heads/main';

function hooks(
  refusal?: string,
  signal: AbortSignal = never,
): PushHooks & { readonly told: (readonly [string, readonly RefUpdate[]])[] } {
  const told: (readonly [string, readonly RefUpdate[]])[] = [];
  return {
    told,
    signal,
    announced: async (updates) => void told.push(['announced', updates]),
    judge: async (updates) => updates.map((update) => ({ ref: update.ref, refusal })),
    landed: async (updates) => void told.push(['landed', updates]),
  };
}

interface Forked {
  readonly repository: string;
  readonly folder: string;
  readonly change: (strategy: MergeStrategy) => MergeWrite;
}

/** `main` and `topic`, which diverged from a common commit. Each wrote its own file, or both wrote the same one. */
async function forked(bench: Bench, how: 'apart' | 'conflict' | 'unrelated' = 'apart'): Promise<Forked> {
  const repository = await fresh(bench);
  const folder = await client(bench, repository, ['one']);
  if (how === 'unrelated') await must(folder, ['checkout', '-q', '--orphan', 'topic']);
  else await must(folder, ['checkout', '-q', '-b', 'topic']);
  const source = await commitFile(folder, how === 'conflict' ? 'file' : 'theirs', 'theirs');
  await must(folder, ['checkout', '-q', 'main']);
  const target = await commitFile(folder, how === 'conflict' ? 'file' : 'ours', 'ours');
  await must(folder, ['push', '-q', 'origin', 'main', 'topic']);
  const change = (strategy: MergeStrategy): MergeWrite => ({
    ref,
    target,
    source,
    strategy,
    message: 'Merge\n\nmore',
    author: ada,
    committer: ada,
  });
  return { repository, folder, change };
}

/** No ref moved, and no process or temporary object remains. */
async function untouched(bench: Bench, { repository, change }: Forked): Promise<void> {
  assert.deepEqual(await bench.backend.readRefs(repository, [ref]), [change('merge').target]);
  assert.deepEqual(await bench.traces(), []);
}

export const mergeChecks: readonly Check<Bench>[] = [
  {
    name: 'a merge makes the same commit as git, is announced before and reported after',
    async run(bench) {
      const { repository, folder, change } = await forked(bench);
      const watched = hooks();
      const made = await bench.backend.merge(repository, change('merge'), watched);
      assert.equal(made.kind, 'made');
      const { oid, refusal } = made as Extract<typeof made, { kind: 'made' }>;
      assert.equal(refusal, undefined);
      const update = { ref, old: change('merge').target, new: oid };
      assert.deepEqual(watched.told, [
        ['announced', [update]],
        ['landed', [update]],
      ]);
      await must(folder, ['merge', '-q', '--no-ff', '-m', 'Merge\n\nmore', 'topic'], { environment: dates });
      assert.equal(await must(folder, ['rev-parse', 'HEAD']), oid);
      await must(folder, ['fetch', '-q', 'origin', 'main']);
      assert.equal(await must(folder, ['rev-parse', 'FETCH_HEAD']), oid);
      assert.equal(await must(folder, ['fsck', '--strict', '--no-dangling']), '');
      assert.deepEqual(await bench.backend.merge(repository, { ...change('merge'), target: oid }, hooks()), {
        kind: 'nothing',
      });
    },
  },
  {
    name: 'a squash is one commit on the target; a rebase keeps the commits of the source with their authors',
    async run(bench) {
      const { repository, change } = await forked(bench);
      const committer = { ...ada, name: 'Bob' };
      const squashed = await bench.backend.merge(repository, { ...change('squash'), committer }, hooks());
      assert.equal(squashed.kind, 'made');
      const { oid } = squashed as Extract<typeof squashed, { kind: 'made' }>;
      const record = await bench.backend.commitRecord(repository, oid);
      assert.deepEqual(
        [record?.parents, record?.author, record?.committer, record?.message],
        [[change('squash').target], ada, committer, 'Merge\n\nmore'],
      );
      const other = await forked(bench);
      const rebased = await bench.backend.merge(other.repository, { ...other.change('rebase'), committer }, hooks());
      assert.equal(rebased.kind, 'made');
      const [made, was] = await Promise.all(
        [(rebased as typeof squashed & { oid: string }).oid, other.change('rebase').source].map((commit) =>
          bench.backend.commitRecord(other.repository, commit),
        ),
      );
      assert.deepEqual(
        [made?.parents, made?.author, made?.committer, made?.message],
        [[other.change('rebase').target], was?.author, committer, was?.message],
      );
    },
  },
  {
    name: 'a conflict returns its paths; nothing is announced or left behind',
    async run(bench) {
      const given = await forked(bench, 'conflict');
      for (const strategy of ['merge', 'squash', 'rebase'] as const) {
        const watched = hooks();
        const change = given.change(strategy);
        assert.deepEqual(await bench.backend.tryMerge(given.repository, change), { clean: false, conflicts: ['file'] });
        assert.deepEqual(await bench.backend.merge(given.repository, change, watched), {
          kind: 'conflict',
          conflicts: ['file'],
        });
        assert.deepEqual(watched.told, []);
      }
      await untouched(bench, given);
    },
  },
  {
    name: 'unrelated histories can be rebased but not merged',
    async run(bench) {
      const given = await forked(bench, 'unrelated');
      const { repository, change } = given;
      for (const strategy of ['merge', 'squash'] as const)
        assert.deepEqual(await bench.backend.tryMerge(repository, change(strategy)), { clean: false, conflicts: [] });
      assert.deepEqual(await bench.backend.merge(repository, change('merge'), hooks()), {
        kind: 'conflict',
        conflicts: [],
      });
      await untouched(bench, given);
      assert.equal((await bench.backend.tryMerge(repository, change('rebase'))).clean, true);
    },
  },
  {
    name: 'a merge that is refused, stale or aborted leaves the branch unchanged and nothing behind',
    async run(bench) {
      const given = await forked(bench);
      const { repository, folder, change } = given;
      const refused = hooks('not here');
      const made = await bench.backend.merge(repository, change('merge'), refused);
      assert.equal(typeof (made as { refusal?: string }).refusal, 'string');
      assert.deepEqual(
        refused.told.map(([what]) => what),
        ['announced'],
      );
      const base = await must(folder, ['rev-parse', 'main~1']);
      const late = await bench.backend.merge(repository, { ...change('merge'), target: base }, hooks());
      assert.equal(typeof (late as { refusal?: string }).refusal, 'string');
      const leaving = new AbortController();
      leaving.abort(new Error('gone'));
      await assert.rejects(bench.backend.merge(repository, change('squash'), hooks(undefined, leaving.signal)), /gone/);
      await untouched(bench, given);
    },
  },
  {
    name: 'a rebase of more commits than the limit is refused, and a squash of them works',
    async run(bench) {
      const repository = await fresh(bench);
      const commit = (branch: string, at: number, from: string): string =>
        `commit refs/heads/${branch}\nmark :${at}\ncommitter A <a@b> ${at} +0000\ndata 1\nx${from === '' ? '' : `\nfrom ${from}`}\nM 644 inline ${branch}\ndata ${`${at}`.length}\n${at}\n`;
      const script = [
        commit('main', 1, ''),
        ...Array.from({ length: 1001 }, (_, index) => commit('topic', index + 2, `:${index + 1}`)),
        commit('main', 2000, ':1'),
      ].join('\n');
      const folder = await imported(bench, repository, script);
      await must(folder, ['push', '-q', 'origin', 'topic']);
      const [target = '', source = ''] = await bench.backend.readRefs(repository, [ref, 'refs/heads/topic']);
      await assert.rejects(bench.backend.tryMerge(repository, { target, source, strategy: 'rebase' }), {
        kind: 'conflict',
        code: 'rebase_too_long',
      });
      assert.equal((await bench.backend.tryMerge(repository, { target, source, strategy: 'squash' })).clean, true);
      assert.deepEqual(await bench.traces(), []);
    },
  },
];
