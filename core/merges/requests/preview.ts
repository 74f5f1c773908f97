// The commits and files that a merge request of two branches would have, before it is opened.
import { HexforgeError } from '#core/kernel/errors';
import { within } from '#core/kernel/limits/within';
import { boundedCommits, type Bounded, type CommitRecord, type Oid, type Patch } from '#core/repositories/index';
import { branchTip, presentBranch, sourceNamed, type Source } from '../model/branches.ts';
import type { Writing } from '../model/held-request.ts';
import type { MergeParts } from '../model/parts.ts';
import { checkPair } from './fields.ts';

export interface MergePreview {
  /** The number of the open request of the same branches. */
  readonly openNumber: number | undefined;
  /** The newest first. Undefined if git did not answer in time. */
  readonly commits: Bounded<CommitRecord> | undefined;
  readonly patch: Patch | undefined;
  /** Whether a fork was compared with its own branch, because it does not have the tip of the target yet. */
  readonly isOlder: boolean;
}

const mostCommits = 100;

type Parts = Pick<MergeParts, 'store' | 'git' | 'heads' | 'access' | 'diffs'>;

/** @throws {ValidationFailed | Forbidden} as when it is opened */
export const previewRequest =
  (parts: Parts) =>
  async (
    granted: Writing,
    { source: named, targetBranch }: { readonly source: string; readonly targetBranch: string },
  ): Promise<MergePreview> => {
    const { git, store, diffs } = parts;
    const { resource, call } = granted;
    const source = await sourceNamed(parts, granted, named);
    const pair = {
      repositoryId: resource.id,
      sourceRepositoryId: source.repositoryId,
      sourceBranch: source.branch,
      targetBranch,
    };
    checkPair(pair);
    const target = presentBranch(await branchTip(git, resource.id, targetBranch), 'target_branch');
    const openNumber = await store.openOf(pair);
    const { base, isOlder } = await baseOf(parts, source, { target, targetBranch, targetId: resource.id });
    try {
      const read = await within(call.signal, async (signal) => {
        const from =
          base === undefined ? undefined : await git.mergeBase(source.repositoryId, base, source.tip, signal);
        const query = { tip: source.tip, except: base, skip: 0, limit: mostCommits };
        const { algorithm, caps } = diffs;
        return Promise.all([
          git.history(source.repositoryId, query, signal),
          from === undefined
            ? undefined
            : git.patch(source.repositoryId, { from, to: source.tip, algorithm }, caps, signal),
        ]);
      });
      return { openNumber, commits: read && boundedCommits(read[0]), patch: read?.[1], isOlder };
    } catch (error) {
      if (!(error instanceof HexforgeError) || call.signal.aborted) throw error;
      return { openNumber, commits: undefined, patch: undefined, isOlder };
    }
  };

/** The commit of the source repository to compare with. */
async function baseOf(
  { git }: Pick<Parts, 'git'>,
  { repositoryId }: Source,
  {
    target,
    targetBranch,
    targetId,
  }: { readonly target: Oid; readonly targetBranch: string; readonly targetId: string },
): Promise<{ readonly base: Oid | undefined; readonly isOlder: boolean }> {
  if (repositoryId === targetId || (await git.tips(repositoryId, [target])).has(target))
    return { base: target, isOlder: false };
  return { base: await branchTip(git, repositoryId, targetBranch), isOlder: true };
}
