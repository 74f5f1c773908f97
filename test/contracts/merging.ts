// Contract checks for Merging: branches that are moved by a merge, and deleted only if their tip is the expected one.
import assert from 'node:assert/strict';
import type { Granted } from '#core/kernel/access/access';
import type { User } from '#core/kernel/caller';
import { Conflict } from '#core/kernel/errors';
import {
  zeroOid,
  type MergeInto,
  type Merging,
  type Oid,
  type RefUpdate,
  type Repository,
} from '#core/repositories/index';
import type { Check } from './checks.ts';

export interface MergingUnderTest {
  readonly merging: Merging;
  readonly granted: Granted<Repository, 'merge.merge', User>;
  readonly writable: Granted<Repository, 'repo.write', User>;
  /** Two branches; each commit of the source merges into the target without a conflict. */
  readonly target: string;
  readonly source: string;
  /** The tip of a branch. */
  tip(branch: string): Promise<Oid>;
}

const nobody = { name: 'Ada', email: 'ada@example.org', date: new Date('2026-01-01T00:00:00Z') };
const change = (branch: string, source: Oid): MergeInto => ({
  branch,
  source,
  strategy: 'merge',
  message: 'Merge it',
  author: nobody,
  committer: nobody,
});

export const mergingChecks: readonly Check<MergingUnderTest>[] = [
  {
    name: 'a merge is announced, moves the branch to its result and is recorded; a second merge has nothing to do',
    async run({ merging, granted, target, source, tip }) {
      const [before, head] = [await tip(target), await tip(source)];
      const told: (readonly [string, RefUpdate])[] = [];
      const hooks = {
        announced: async (update: RefUpdate) => void told.push(['announced', update]),
        recorded: async (update: RefUpdate) => void told.push(['recorded', update]),
      };
      const merged = await merging.merge(granted, change(target, head), hooks);
      const update = { ref: `refs/heads/${target}`, old: before, new: await tip(target) };
      assert.notEqual(update.new, before);
      assert.deepEqual(merged, { kind: 'merged', update });
      assert.deepEqual(told, [
        ['announced', update],
        ['recorded', update],
      ]);
      assert.deepEqual(await merging.merge(granted, change(target, head)), { kind: 'nothing', target: update.new });
      assert.equal(await tip(target), update.new);
    },
  },
  {
    name: 'a merge into a branch that does not exist returns no-target',
    async run({ merging, granted, source, tip }) {
      assert.deepEqual(await merging.merge(granted, change('no-branch', await tip(source))), { kind: 'no-target' });
      assert.equal(await tip('no-branch'), zeroOid);
    },
  },
  {
    name: 'a branch is deleted if its tip is the expected one, and otherwise the deletion is a Conflict',
    async run({ merging, writable, target, source, tip }) {
      const at = await tip(source);
      await assert.rejects(merging.deleteBranch(writable, { name: source, at: await tip(target) }), Conflict);
      assert.equal(await tip(source), at);
      await merging.deleteBranch(writable, { name: source, at });
      assert.equal(await tip(source), zeroOid);
    },
  },
];
