// The events about merge requests. The aggregate is `merge:ID`.
import type { EventType } from '#core/kernel/storage/events';
import type { Oid } from '#core/repositories/index';
import type { MergeRequest } from './merge-request.ts';
import type { Verdict } from './review.ts';

/** The payload that all events about a merge request have in common. */
export interface MergeFact {
  /** The target repository. */
  readonly repository_id: string;
  readonly merge_request_id: string;
  readonly number: number;
  /** Null if the fork was deleted. */
  readonly source_repository_id: string | null;
  readonly source_branch: string;
  readonly target_branch: string;
  /** The commit to be merged. */
  readonly head: Oid;
}

/** The payload of events about a review comment. */
export interface MergeCommentFact extends MergeFact {
  readonly comment_id: string;
}

declare module '#core/kernel/storage/events' {
  interface EventPayloads {
    'merge.opened': MergeFact;
    /** `changed` lists the names of the changed members. */
    'merge.updated': MergeFact & { readonly changed: readonly string[] };
    'merge.closed': MergeFact;
    'merge.reopened': MergeFact;
    /** Merged through the API, or by a push that added the commits to the target. */
    'merge.merged': MergeFact & { readonly merge_commit: Oid };
    /**
     * The source branch of many open requests moved. The request, whose `head` is still the former one, follows it
     * next.
     */
    'merge.source_moved': MergeFact;
    /** The source branch moved from `old_head` to `head`. */
    'merge.pushed': MergeFact & { readonly old_head: Oid };
    /** `user_id` is the requested reviewer. Also emitted if the same review is requested again. */
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

/** The event types that the plugin of this area emits. */
export const mergeEvents = [
  'merge.opened',
  'merge.updated',
  'merge.closed',
  'merge.reopened',
  'merge.merged',
  'merge.source_moved',
  'merge.pushed',
  'merge_review.requested',
  'merge_review.submitted',
  'merge_comment.created',
  'merge_comment.updated',
  'merge_comment.deleted',
] as const satisfies readonly EventType[];

const factOf = (request: MergeRequest): MergeFact => ({
  repository_id: request.repositoryId,
  merge_request_id: request.id,
  number: request.number,
  source_repository_id: request.sourceRepositoryId ?? null,
  source_branch: request.sourceBranch,
  target_branch: request.targetBranch,
  head: request.headOid,
});

/** The aggregate of the events about a request. */
export const mergeAggregate = ({ id }: Pick<MergeRequest, 'id'>): string => `merge:${id}`;

/**
 * An event about a merge request, without its type.
 * @param actorId undefined if the server itself is the actor.
 * @param more the members of the payload that only this type of event has.
 */
export const aboutMerge = <More extends object>(
  request: MergeRequest,
  actorId: string | undefined,
  more = {} as More,
) => ({
  aggregate: mergeAggregate(request),
  ...(actorId !== undefined && { actorId }),
  payload: { ...factOf(request), ...more },
});
