// Merge requests whose commits were pruned: those of a request from another repository that was closed unmerged.
import { Conflict, HexforgeError } from '#core/kernel/errors';
import type { GitBackend } from '#core/repositories/index';
import type { MergeRequest } from './merge-request.ts';

/** Whether git failed because the target no longer has the head of the request, or the commit it is compared with. */
export async function isPruned(
  git: Pick<GitBackend, 'tips'>,
  { repositoryId, headOid, baseOid }: Pick<MergeRequest, 'repositoryId' | 'headOid' | 'baseOid'>,
  error: unknown,
): Promise<boolean> {
  if (!(error instanceof HexforgeError) || error.kind !== 'internal') return false;
  const needed = [headOid, ...(baseOid === null ? [] : [baseOid])];
  const there = await git.tips(repositoryId, needed);
  return needed.some((commit) => !there.has(commit));
}

export const commitsPruned = (cause?: unknown): Conflict =>
  new Conflict('The commits of the merge request were removed', {
    code: 'commits_pruned',
    detail: 'No branch needs them since the request was closed; reopen it to copy them again',
    cause,
  });
