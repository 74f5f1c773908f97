// Merges into a branch, for the area of merge requests. A merge has the rules, intent, events and maintenance of a
// push, except that `push_roles` does not apply.
import { branchWrite, type BranchWriteParts } from '../contents/branch-write.ts';
import { deleteBranch } from './branches.ts';
import { zeroOid, type Oid, type RefUpdate } from '../git/git-backend.ts';
import type { Merging } from '../model/offers.ts';
import type { DeletingParts } from '../push/move-refs.ts';

/** The result of a merge by git, with the created commit. */
interface Attempt {
  readonly kind: 'made' | 'nothing' | 'conflict';
  readonly oid: Oid | undefined;
  readonly refusal: string | undefined;
  readonly conflicts: readonly string[];
}

export function merging(parts: BranchWriteParts & DeletingParts): Merging {
  const { git } = parts;
  return {
    async merge(granted, { branch, ...change }, { announced, allowed, recorded } = {}) {
      const { id } = granted.resource;
      const ref = `refs/heads/${branch}`;
      const [target = zeroOid] = await git.readRefs(id, [ref]);
      if (target === zeroOid) return { kind: 'no-target' };
      const move = {
        ref,
        old: target,
        how: 'merged',
        announced,
        allowed,
        recorded:
          recorded &&
          (async (updates: readonly RefUpdate[]) => {
            for (const update of updates) await recorded(update);
          }),
      } as const;
      const made = await branchWrite(parts, granted, move, async (hooks): Promise<Attempt> => {
        const none = { oid: undefined, refusal: undefined, conflicts: [] };
        return {
          ...none,
          ...(await git.merge(
            id,
            { ...change, ref, target },
            {
              ...hooks,
              // The new commits are on top of the target, so the ancestry check needs no walk of the history.
              judge: (updates, objects) => hooks.judge(updates, { ...objects, isAncestor: async () => true }),
            },
          )),
        };
      });
      if (made === undefined) return { kind: 'moved' };
      if (made.oid !== undefined) return { kind: 'merged', update: { ref, old: target, new: made.oid } };
      return made.kind === 'conflict' ? { kind: 'conflict', conflicts: made.conflicts } : { kind: 'nothing', target };
    },
    deleteBranch: deleteBranch(parts),
  };
}
