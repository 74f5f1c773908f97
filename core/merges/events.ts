// What happens to merge requests, as others hear of it; the aggregate is `merge:ID`.
import type { EventType } from '#core/kernel/events';
import type { Oid } from '#core/repositories/index';
import type { MergeRequest } from './merge-request.ts';
import type { Verdict } from './review.ts';

/** What every event about a merge request tells of it. */
export interface MergeFact {
  /** The target. */
  readonly repository_id: string;
  readonly merge_request_id: string;
  readonly number: number;
  /** Null where the fork is gone. */
  readonly source_repository_id: string | null;
  readonly source_branch: string;
  readonly target_branch: string;
  /** The commit that is asked for to be merged. */
  readonly head: Oid;
}

/** What events about a review comment tell. */
export interface MergeCommentFact extends MergeFact {
  readonly comment_id: string;
}

declare module '#core/kernel/events' {
  interface EventPayloads {
    'merge.opened': MergeFact;
    /** `changed` names the members that are now otherwise. */
    'merge.updated': MergeFact & { readonly changed: readonly string[] };
    'merge.closed': MergeFact;
    'merge.reopened': MergeFact;
    /** Through the API, or by a push that brought its commits to the target. */
    'merge.merged': MergeFact & { readonly merge_commit: Oid };
    /** The source moved: `head` is where it is now, `old_head` where it was. */
    'merge.pushed': MergeFact & { readonly old_head: Oid };
    /** `user_id` is who is asked, once more too. */
    'merge_review.requested': MergeFact & { readonly user_id: string };
    'merge_review.submitted': MergeFact & {
      readonly review_id: string;
      readonly user_id: string;
      readonly state: Verdict;
    };
    'merge_comment.created': MergeCommentFact;
    'merge_comment.updated': MergeCommentFact;
    'merge_comment.deleted': MergeCommentFact;
  }
}

/** What the plugin of this area emits. */
export const mergeEvents = [
  'merge.opened',
  'merge.updated',
  'merge.closed',
  'merge.reopened',
  'merge.merged',
  'merge.pushed',
  'merge_review.requested',
  'merge_review.submitted',
  'merge_comment.created',
  'merge_comment.updated',
  'merge_comment.deleted',
] as const satisfies readonly EventType[];

/**
 * What every event about a merge request consists of, but for its type and what else its payload tells.
 * @param actorId undefined for the forge itself.
 */
export const aboutMerge = (request: MergeRequest, actorId: string | undefined) => ({
  aggregate: `merge:${request.id}`,
  ...(actorId !== undefined && { actorId }),
  payload: {
    repository_id: request.repositoryId,
    merge_request_id: request.id,
    number: request.number,
    source_repository_id: request.sourceRepositoryId ?? null,
    source_branch: request.sourceBranch,
    target_branch: request.targetBranch,
    head: request.headOid,
  } satisfies MergeFact,
});
