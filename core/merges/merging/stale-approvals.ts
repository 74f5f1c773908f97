// Makes the approvals of a merge request pending when it changes what they approved.
import { HexforgeError } from '#core/kernel/errors';
import type { Oid, PatchedFile, PatchQuery } from '#core/repositories/index';
import { aboutMerge } from '../model/events.ts';
import { rangeOf } from '../model/diff.ts';
import type { MergeRequest } from '../model/merge-request.ts';
import type { MergeParts } from '../model/parts.ts';
import { unanswered } from '../model/review.ts';
import { isSameDiff } from '../model/same-diff.ts';

type Parts = Pick<MergeParts, 'reviews' | 'repositories' | 'git' | 'diffs' | 'log'>;

/** How many paths git compares at a time: they are arguments of a command. */
const pathsAtOnce = 100;

/**
 * Whether the protection of the target makes approvals pending when the head of the request becomes this commit, which
 * the target repository must have. True in case of doubt: if git cannot compare the two diffs.
 */
export async function dismissesApprovals(
  { repositories, git, diffs, log }: Pick<Parts, 'repositories' | 'git' | 'diffs' | 'log'>,
  request: MergeRequest,
  head: Oid,
  signal: AbortSignal,
): Promise<boolean> {
  const { repositoryId, targetBranch, number } = request;
  const protection = (await repositories.protections(repositoryId)).get(targetBranch);
  if (protection?.dismissStaleApprovals !== true) return false;
  const { algorithm, caps } = diffs;
  const diff = ({ from, to, paths }: Omit<PatchQuery, 'algorithm'>) =>
    git.patch(repositoryId, { from, to, paths, algorithm }, caps, signal);
  const rangeAt = (headOid: Oid) => rangeOf({ git }, { ...request, headOid }, signal);
  try {
    const [before, after] = [await rangeAt(request.headOid), await rangeAt(head)];
    const changesBetween = async (paths: readonly string[]) => {
      const files: PatchedFile[] = [];
      for (let at = 0; at < paths.length; at += pathsAtOnce) {
        const some = paths.slice(at, at + pathsAtOnce);
        files.push(...(await diff({ from: before.from, to: after.from, paths: some })).files);
      }
      return files;
    };
    return !(await isSameDiff(await diff(before), await diff(after), changesBetween));
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof HexforgeError)) throw error;
    log.debug({ repository: repositoryId, number, err: error }, 'approvals are dismissed, for the diff is unknown');
    return true;
  }
}

/** Runs inside a unit of work that locks the request. Reviews that request changes stay unchanged. */
export async function dismissApprovals(
  { reviews, events }: Pick<MergeParts, 'reviews' | 'events'>,
  request: MergeRequest,
  actorId: string | undefined,
  now: Date,
): Promise<void> {
  const approved = { requestId: request.id, state: 'approved' } as const;
  const given = await reviews.find({ where: approved, orderBy: ['id'] });
  if (given.length === 0) return;
  await reviews.updateMany({ where: approved }, { ...unanswered, requestedAt: now });
  for (const { userId } of given)
    await events.emit({ type: 'merge_review.requested', ...aboutMerge(request, actorId, { user_id: userId }) });
}
