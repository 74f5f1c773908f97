// A merge request: its states, members and limits.
import type { PublicUser } from '#core/identity/index';
import type { Label, Milestone } from '#core/planning/index';
import type { Numbered, Oid, Repository, Visibility } from '#core/repositories/index';
import type { MergeDiff } from './diff.ts';
import type { PipelineVerdict } from './pipeline-verdicts.ts';
import type { ReviewState } from './review.ts';
import type { SourceLoss } from './source-access.ts';

/** The states of a merge request. */
export const mergeStates = ['open', 'merged', 'closed'] as const;
/** Whether the request is open, merged, or closed without a merge. */
export type MergeState = (typeof mergeStates)[number];

/** Limits of one merge request. Limits of texts are in characters. */
export const mergeBounds = { title: 255, description: 65_536, labels: 100, assignees: 100, reviewers: 100 } as const;

/** One merge request, as stored in its row. */
export interface MergeRequest extends Numbered {
  /** The target repository. */
  readonly repositoryId: string;
  readonly title: string;
  /** Markdown. */
  readonly description: string;
  readonly state: MergeState;
  readonly isDraft: boolean;
  /** The target repository's own id if the source is one of its branches. Undefined after the fork was deleted. */
  readonly sourceRepositoryId: string | undefined;
  /** Without `refs/heads/` and without an owner. */
  readonly sourceBranch: string;
  /** The user who last reopened the request and could push to its source. They are its pusher instead of the author. */
  readonly reopenedById: string | null;
  /** Why the request no longer follows its source, until it is reopened. Null while it follows. */
  readonly sourceLoss: SourceLoss | null;
  /**
   * The visibilities of source and target when a user who could push to the source opened or reopened the request. Null
   * for a branch of the target repository, and for requests that were opened before they were recorded.
   */
  readonly sourceVisibility: Visibility | null;
  readonly targetVisibility: Visibility | null;
  readonly targetBranch: string;
  readonly authorId: string;
  /** An id of the area planning, without a foreign key. */
  readonly milestoneId: string | null;
  /** The tip of the source branch when it was last read. Kept in the target as `refs/merges/NUMBER/head`. */
  readonly headOid: Oid;
  /**
   * The tip of the target branch immediately before the request was merged or closed, so that commits, files and diff
   * stay the same.
   */
  readonly baseOid: Oid | null;
  /** The commit of the target branch by which the head became part of it. */
  readonly mergeCommit: Oid | null;
  readonly mergedById: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly mergedAt: Date | null;
  /** Null while the request is open or merged. */
  readonly closedAt: Date | null;
}

/** A user whose review was requested, or who has submitted one. */
export interface Reviewer {
  readonly user: PublicUser;
  readonly state: ReviewState;
}

/** A merge request in a list, with the related rows that its store reads in the same query. */
export interface ListedRow extends MergeRequest {
  readonly author: PublicUser;
  /** Sorted by username. */
  readonly assignees: readonly PublicUser[];
}

/** One merge request with all related rows that its store reads in the same query. */
export interface MergeRow extends ListedRow {
  /** Ids of the area planning. */
  readonly labelIds: readonly string[];
  /** Sorted by username. */
  readonly reviewers: readonly Reviewer[];
}

/** Information of other areas that the caller may know. */
export interface Surroundings {
  /** Null if the fork was deleted, or if the caller cannot read it. */
  readonly source: Repository | null;
  /** Always false in lists if the source is a branch of a fork. */
  readonly sourceBranchProtected: boolean;
  readonly milestone: Milestone | null;
  /** The verdict of the newest pipeline of the head. */
  readonly ciStatus: PipelineVerdict;
}

/** A merge request in a list, as responses show it. */
export type ListedRequest = ListedRow & Surroundings;

/** One merge request as responses show it. */
export interface MergeView extends MergeRow, Surroundings {
  /** Sorted by name. */
  readonly labels: readonly Label[];
  /** The diff, with its counts. */
  readonly changes: MergeDiff;
  /** Whether an open request may not follow its source now. */
  readonly sourceAccessLost: boolean;
}

/** Whether the source is another repository than the target, or was one that has been deleted. */
export const isFromFork = ({
  sourceRepositoryId,
  repositoryId,
}: Pick<MergeRequest, 'sourceRepositoryId' | 'repositoryId'>): boolean => sourceRepositoryId !== repositoryId;

/** Whether the commits that were copied from another repository are no longer kept: the request was closed unmerged. */
export const isLetGo = (request: MergeRequest): boolean => request.state === 'closed' && isFromFork(request);
