// Submits a review: users who may write to the repository approve a merge request or request changes.
import type { Granted } from '#core/kernel/access/access';
import type { User } from '#core/kernel/caller';
import { Conflict, found } from '#core/kernel/errors';
import type { Repository } from '#core/repositories/index';
import { aboutMerge } from '../model/events.ts';
import { heldRequest, settledRequest } from '../model/held-request.ts';
import type { MergeParts } from '../model/parts.ts';
import { checkHead } from '../model/check-head.ts';
import type { MergeReview, Verdict } from '../model/review.ts';
import { keptText } from '../model/said.ts';

type Parts = Pick<MergeParts, 'store' | 'settling' | 'reviews' | 'unitOfWork' | 'events' | 'ids'>;

/**
 * Replaces the caller's previous review, because each user has at most one.
 * @throws {NotFound | Conflict | ValidationFailed}
 */
export const submitReview =
  (parts: Parts) =>
  async (
    granted: Granted<Repository, 'repo.write', User>,
    {
      number,
      state,
      body = '',
      sha,
    }: {
      readonly number: number;
      readonly state: Verdict;
      readonly body?: string | undefined;
      /** The head that the caller looked at. */
      readonly sha?: string | undefined;
    },
  ): Promise<MergeReview> => {
    const { reviews, unitOfWork, events, ids } = parts;
    const { caller, now } = granted.call;
    const text = keptText(body);
    await settledRequest(parts, granted.resource, number, granted.call.signal);
    return unitOfWork.run(async () => {
      const request = await heldRequest(parts, granted.resource, number);
      if (request.state !== 'open')
        throw new Conflict('Only an open merge request is reviewed', {
          code: 'not_open',
          detail: `Merge request ${number} is ${request.state}`,
        });
      checkHead(request, sha);
      const said = { state, body: text, commitOid: request.headOid, submittedAt: now, objected: false };
      const one = { requestId: request.id, userId: caller.id };
      const before = await reviews.findOne(one);
      const review =
        before === undefined
          ? await reviews.insert({ id: ids.uuid(), ...one, requestedAt: null, ...said })
          : found(await reviews.update({ id: before.id }, said));
      const submitted = { review_id: review.id, user_id: caller.id, state };
      await events.emit({ type: 'merge_review.submitted', ...aboutMerge(request, caller.id, submitted) });
      return review;
    });
  };
