// Requests reviews of a merge request. A submitted review becomes pending if the review is requested again.
import { aboutMerge } from '../model/events.ts';
import type { Writing } from '../model/held-request.ts';
import type { MergeRequest } from '../model/merge-request.ts';
import type { MergeParts } from '../model/parts.ts';
import { unanswered, type MergeReview } from '../model/review.ts';

type Parts = Pick<MergeParts, 'reviews' | 'events' | 'ids'>;

/**
 * Runs inside a unit of work that locks the request. Requests reviews from these users, who must be able to read the
 * request, and withdraws unanswered requests to all others. A submitted review is kept until it is requested again. If
 * it requested changes, the request for another one can only be withdrawn by holders of merge.update.
 * @returns whether anything has changed.
 */
export async function askForReviews(
  parts: Parts,
  { call, may }: Pick<Writing, 'call' | 'may'>,
  request: MergeRequest,
  userIds: readonly string[],
): Promise<boolean> {
  const { reviews, events, ids } = parts;
  const requestId = request.id;
  const before = await reviews.find({ where: { requestId }, orderBy: ['id'] });
  const reviewers = new Set(before.map(({ userId }) => userId));
  const idsOf = (chosen: (review: MergeReview) => boolean): ReadonlySet<string> =>
    new Set(before.filter(chosen).map(({ userId }) => userId));
  const waiting = idsOf(({ state }) => state === 'pending');
  const objecting = idsOf(({ state }) => state === 'changes_requested');
  const kept = may('merge.update') ? new Set<string>() : idsOf(({ objected }) => objected);
  const dropped = [...waiting.difference(new Set(userIds)).difference(kept)];
  const asked = userIds.filter((userId) => !waiting.has(userId));
  const [again, first] = [asked.filter((id) => reviewers.has(id)), asked.filter((id) => !reviewers.has(id))];
  const review = { ...unanswered, requestedAt: call.now };
  await reviews.deleteMany({ where: { requestId }, among: { userId: dropped } });
  await reviews.updateMany({ where: { requestId }, among: { userId: again } }, review);
  const objections = again.filter((id) => objecting.has(id));
  if (objections.length > 0)
    await reviews.updateMany({ where: { requestId }, among: { userId: objections } }, { objected: true });
  await reviews.insertMany(first.map((userId) => ({ ...review, id: ids.uuid(), requestId, userId })));
  for (const userId of asked)
    await events.emit({ type: 'merge_review.requested', ...aboutMerge(request, call.caller.id, { user_id: userId }) });
  return dropped.length + asked.length > 0;
}
