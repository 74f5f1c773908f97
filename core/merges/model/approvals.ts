// Decides whether the reviews of a merge request allow it to be merged.
import type { MergeReview } from './review.ts';

/** The input of the decision. */
export interface ReviewsGiven {
  /** All reviews of the request, pending and submitted. */
  readonly reviews: readonly Pick<MergeReview, 'userId' | 'state'>[];
  /** The number of approvals that the protection of the target branch requires. */
  readonly required: number;
  readonly authorId: string;
  /** The reviewers who can push to the repository. */
  readonly couldPush: ReadonlySet<string>;
}

/** The approvals that are missing. */
export interface UnmetApprovals {
  /** How many approvals of people who can push and are not the author are missing. */
  readonly missing: number;
  /** Reviewers who have not answered, or who requested changes. */
  readonly waitingFor: readonly string[];
}

/**
 * Every existing review must be an approval, including the author's own and those of people who can no longer push. The
 * approvals that the protection requires are counted only from other people who can push. Undefined if the reviews
 * allow the merge.
 */
export function unmetApprovals({ reviews, required, authorId, couldPush }: ReviewsGiven): UnmetApprovals | undefined {
  const waitingFor = reviews.filter(({ state }) => state !== 'approved').map(({ userId }) => userId);
  const counted = reviews.filter(
    ({ state, userId }) => state === 'approved' && userId !== authorId && couldPush.has(userId),
  );
  const missing = Math.max(0, required - counted.length);
  return missing === 0 && waitingFor.length === 0 ? undefined : { missing, waitingFor };
}
