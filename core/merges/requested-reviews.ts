// Whom a merge request asks for a review (document D, "Merge requests": approvals survive pushes, asking somebody again
// makes them pending).
import { aboutMerge } from './events.ts';
import type { Writing } from './held-request.ts';
import type { MergeRequest } from './merge-request.ts';
import type { MergeParts } from './parts.ts';
import type { MergeReview } from './review.ts';

type Parts = Pick<MergeParts, 'reviews' | 'events' | 'ids'>;

/**
 * Inside a unit of work that holds the request: asks these people, who can read it, and takes back what was asked of
 * others and not answered. A review that somebody has given stays until they are asked again.
 * @returns whether anything is otherwise now.
 */
export async function askForReviews(
  parts: Parts,
  { call }: Pick<Writing, 'call'>,
  request: MergeRequest,
  userIds: readonly string[],
): Promise<boolean> {
  const { reviews, events, ids } = parts;
  const requestId = request.id;
  const before = await reviews.find({ where: { requestId }, orderBy: ['id'] });
  const reviewers = new Set(before.map(({ userId }) => userId));
  const waiting = new Set(before.filter(({ state }) => state === 'pending').map(({ userId }) => userId));
  const dropped = [...waiting.difference(new Set(userIds))];
  const asked = userIds.filter((userId) => !waiting.has(userId));
  const [again, first] = [asked.filter((id) => reviewers.has(id)), asked.filter((id) => !reviewers.has(id))];
  const review = { ...unanswered, requestedAt: call.now };
  await reviews.deleteMany({ where: { requestId }, among: { userId: dropped } });
  await reviews.updateMany({ where: { requestId }, among: { userId: again } }, review);
  await reviews.insertMany(first.map((userId) => ({ ...review, id: ids.uuid(), requestId, userId })));
  const { payload, ...about } = aboutMerge(request, call.caller.id);
  for (const userId of asked)
    await events.emit({ type: 'merge_review.requested', ...about, payload: { ...payload, user_id: userId } });
  return dropped.length + asked.length > 0;
}

const unanswered = {
  state: 'pending',
  body: '',
  commitOid: null,
  submittedAt: null,
} as const satisfies Partial<MergeReview>;
