// Limits the open merge requests of one user from one source branch: a push to the branch is work for each of them.
import { quotaExceeded } from '#core/repositories/index';
import type { BranchPair, MergeStore } from '../model/ports.ts';

/** The most open requests of one author from one branch. */
export const mostFromSource = 100;

/** Runs inside a unit of work, before the request is opened or reopened. @throws {Unprocessable} `quota_exceeded` */
export async function checkSourceLimit(
  store: Pick<MergeStore, 'countOpenFrom'>,
  { sourceRepositoryId, sourceBranch }: BranchPair,
  authorId: string,
): Promise<void> {
  if (sourceRepositoryId === undefined) return;
  const open = await store.countOpenFrom({ repositoryId: sourceRepositoryId, branch: sourceBranch }, authorId);
  if (open >= mostFromSource)
    throw quotaExceeded(
      `${open} merge requests of one author from this branch are open, and there may be ${mostFromSource}`,
    );
}
