// A merge request: its states and members, and the bounds of what it holds.
import type { PublicUser } from '#core/identity/index';
import type { Label, Milestone } from '#core/planning/index';
import type { Numbered, Oid, Repository } from '#core/repositories/index';
import type { MergeDiff } from './diff.ts';
import type { PipelineVerdict } from './pipeline-verdicts.ts';
import type { ReviewState } from './review.ts';

/** Document B, "Merge request object". */
export const mergeStates = ['open', 'merged', 'closed'] as const;
/** Whether it waits, is in its target, or was given up. */
export type MergeState = (typeof mergeStates)[number];

/** The most of what one merge request holds; of texts, characters. */
export const mergeBounds = { title: 255, description: 65_536, labels: 100, assignees: 100, reviewers: 100 } as const;

/** One merge request, as its row holds it. */
export interface MergeRequest extends Numbered {
  /** The target. */
  readonly repositoryId: string;
  readonly title: string;
  /** Markdown. */
  readonly description: string;
  readonly state: MergeState;
  readonly isDraft: boolean;
  /** The target's own id for a branch of the repository itself; undefined once the fork is gone. */
  readonly sourceRepositoryId: string | undefined;
  /** Without `refs/heads/` and without an owner. */
  readonly sourceBranch: string;
  readonly targetBranch: string;
  readonly authorId: string;
  /** Of the area planning; a plain id. */
  readonly milestoneId: string | null;
  /** The tip of the source when it was last seen there, kept under `refs/merges/NUMBER/head`. */
  readonly headOid: Oid;
  /** Of a merged one: the target right before, so that commits, files and diff stay what was merged. */
  readonly baseOid: Oid | null;
  /** The target's commit that brought it. */
  readonly mergeCommit: Oid | null;
  readonly mergedById: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly mergedAt: Date | null;
  /** Null while open, and of a merged one. */
  readonly closedAt: Date | null;
}

/** Somebody who was asked for a review, or has given one. */
export interface Reviewer {
  readonly user: PublicUser;
  readonly state: ReviewState;
}

/** A merge request of a list, with what its store reads beside it in one query. */
export interface ListedRow extends MergeRequest {
  readonly author: PublicUser;
  /** By username. */
  readonly assignees: readonly PublicUser[];
}

/** One merge request with all that its store reads beside it, in one query. */
export interface MergeRow extends ListedRow {
  /** Of the area planning. */
  readonly labelIds: readonly string[];
  /** By username. */
  readonly reviewers: readonly Reviewer[];
}

/** What other areas know of it, as far as whoever asks may know it. */
export interface Surroundings {
  /** Null where the fork is gone, or is not for whoever asks to know of. */
  readonly source: Repository | null;
  /** Of a fork's branch: false in lists. */
  readonly sourceBranchProtected: boolean;
  readonly milestone: Milestone | null;
  /** Of the newest pipeline of its head. */
  readonly ciStatus: PipelineVerdict;
}

/** A merge request of a list, as it is shown. */
export type ListedRequest = ListedRow & Surroundings;

/** One merge request, as it is shown. */
export interface MergeView extends MergeRow, Surroundings {
  /** By name. */
  readonly labels: readonly Label[];
  /** What it changes, with its counts. */
  readonly changes: MergeDiff;
}

/** Whether its commits come from another repository than it is to be merged into, or came from one that is gone. */
export const isFromFork = ({ sourceRepositoryId, repositoryId }: MergeRequest): boolean =>
  sourceRepositoryId !== repositoryId;
