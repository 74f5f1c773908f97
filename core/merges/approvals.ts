// Whether the reviews of a merge request let it be merged (document B, "Reviews"; document D, "Merge requests").
import type { MergeReview } from './review.ts';

/** What the decision is made of. */
export interface ReviewsGiven {
  /** All of the request, asked for and given. */
  readonly reviews: readonly Pick<MergeReview, 'userId' | 'state'>[];
  /** Approvals that the protection of the target branch asks for. */
  readonly required: number;
  readonly authorId: string;
  /** Of the reviewers, those who may push to the repository. */
  readonly couldPush: ReadonlySet<string>;
}

/** What would lift it. */
export interface UnmetApprovals {
  /** Approvals that are still to come, of people who may push and are not the author. */
  readonly missing: number;
  /** Reviewers who were asked and have not answered, or want changes. */
  readonly waitingFor: readonly string[];
}

/**
 * Every review there is must be an approval, the author's own and those of people who may not push any more too; what
 * the protection asks for beyond is counted of others who may push. Undefined where nothing is in the way.
 */
export function unmetApprovals({ reviews, required, authorId, couldPush }: ReviewsGiven): UnmetApprovals | undefined {
  const waitingFor = reviews.filter(({ state }) => state !== 'approved').map(({ userId }) => userId);
  const counted = reviews.filter(
    ({ state, userId }) => state === 'approved' && userId !== authorId && couldPush.has(userId),
  );
  const missing = Math.max(0, required - counted.length);
  return missing === 0 && waitingFor.length === 0 ? undefined : { missing, waitingFor };
}
