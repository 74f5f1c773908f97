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
  const before = await reviews.find({ where: { requestId: request.id }, orderBy: ['id'] });
  const asked = new Set(userIds);
  const dropped = before.filter(({ state, userId }) => state === 'pending' && !asked.has(userId));
  for (const { id } of dropped) await reviews.delete({ id });
  let changed = dropped.length > 0;
  for (const userId of userIds) {
    const given = before.find((review) => review.userId === userId);
    if (given?.state === 'pending') continue;
    changed = true;
    if (given === undefined)
      await reviews.insert({
        ...unanswered,
        id: ids.uuid(),
        requestId: request.id,
        userId,
        requestedAt: call.now,
      });
    else await reviews.update({ id: given.id }, { ...unanswered, requestedAt: call.now });
    const { payload, ...about } = aboutMerge(request, call.caller.id);
    await events.emit({ type: 'merge_review.requested', ...about, payload: { ...payload, user_id: userId } });
  }
  return changed;
}

const unanswered = {
  state: 'pending',
  body: '',
  commitOid: null,
  submittedAt: null,
} as const satisfies Partial<MergeReview>;
