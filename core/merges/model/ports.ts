// The port that this area needs: the store of merge requests.
import type { Carriers } from '#core/planning/index';
import type { Numbered, NumberedSlice } from '#core/repositories/index';
import type { ListedRow, MergeRequest, MergeRow, MergeState } from './merge-request.ts';

/** A merge request that is locked until the unit of work ends, with the sets that an update can replace. */
export type HeldRequest = MergeRequest & {
  readonly labelIds: readonly string[];
  readonly assigneeIds: readonly string[];
};

/** The members of the row that an update can write. */
export type MergePatch = Pick<MergeRequest, 'updatedAt'> & Partial<Omit<MergeRequest, Fixed>>;
type Fixed = keyof Numbered | 'sourceRepositoryId' | 'sourceBranch' | 'authorId' | 'createdAt' | 'updatedAt';

/** The source and target of a request. At most one open request can exist for a pair. */
export type BranchPair = Pick<MergeRequest, 'repositoryId' | 'sourceRepositoryId' | 'sourceBranch' | 'targetBranch'>;

/** The name of the unique constraint, as in `Duplicate`. */
export const openPairUnique = 'merges_request_open_pair';

/** The filter of a list. Absent members do not restrict it. */
export interface MergeFilter {
  readonly state?: MergeState | undefined;
  readonly authorId?: string | undefined;
  readonly assigneeId?: string | undefined;
  /** A user whose review was requested or submitted. */
  readonly reviewerId?: string | undefined;
  readonly labelId?: string | undefined;
  readonly milestoneId?: string | undefined;
  readonly isDraft?: boolean | undefined;
  /** A part of the title, compared case-insensitively. */
  readonly q?: string | undefined;
}

/** A request with the number of comments on it. */
export type CountedRow = MergeRow & { readonly commentsCount: number };

/** Stores merge requests. */
export interface MergeStore extends Carriers {
  /**
   * Runs inside a unit of work: returns the next request number of the repository. Concurrent calls for the repository
   * wait until the unit of work ends. If it fails, the number is used again. Like every lock of this store, this one
   * also prevents deletion of the repository. It must be taken before labels and milestones are locked, to avoid
   * deadlocks.
   */
  nextNumber(repositoryId: string): Promise<number>;
  /** @throws {Duplicate} `openPairUnique` if the pair already has an open request. */
  insert(request: MergeRequest): Promise<void>;
  /** Runs inside a unit of work: locks the request until it ends. */
  held(repositoryId: string, number: number): Promise<HeldRequest | undefined>;
  /** @throws {Duplicate} as `insert`. */
  update(id: string, patch: MergePatch): Promise<void>;
  /** Replaces the existing labels. */
  replaceLabels(id: string, labelIds: readonly string[]): Promise<void>;
  /** Replaces the existing assignees. */
  replaceAssignees(id: string, userIds: readonly string[]): Promise<void>;

  /** Reads only the row. */
  find(repositoryId: string, number: number): Promise<MergeRequest | undefined>;
  /** Reads the row and its related rows in one query. */
  byNumber(repositoryId: string, number: number): Promise<MergeRow | undefined>;
  /** The titles of requests by their number. Unknown numbers are missing. One query. */
  titles(repositoryId: string, numbers: readonly number[]): Promise<ReadonlyMap<number, string>>;
  /** One query. */
  list(repositoryId: string, filter: MergeFilter, slice: NumberedSlice): Promise<readonly ListedRow[]>;
  /** Like `list`, with all related rows and the number of comments. One query. */
  listWhole(repositoryId: string, filter: MergeFilter, slice: NumberedSlice): Promise<readonly CountedRow[]>;
  /**
   * Open requests of all repositories that the user wrote, or whose review by the user is pending. The last updated
   * first. One query.
   */
  openOfUser(userId: string, role: 'author' | 'reviewer', limit: number): Promise<readonly ListedRow[]>;
  /** The total number of matching requests. */
  count(repositoryId: string, filter: MergeFilter): Promise<number>;
  /** The number of the open request of the pair. */
  openOf(pair: BranchPair): Promise<number | undefined>;
  /** Open requests with this source branch and any target, sorted by id, after the id `after`, at most `limit`. */
  openFrom(branch: BranchOf, after: string | undefined, limit: number): Promise<readonly MergeRequest[]>;
  /**
   * Open requests whose source is in another repository and is still followed, sorted by id, after the id `after`, at
   * most `limit`.
   */
  openFromOthers(of: FromOthers, after: string | undefined, limit: number): Promise<readonly MergeRequest[]>;
  /**
   * Open requests into the repository whose source is in another repository, or was in one that is deleted, sorted by
   * id, after the id `after`, at most `limit`.
   */
  openFromForks(repositoryId: string, after: string | undefined, limit: number): Promise<readonly MergeRequest[]>;
  /** How many open requests this user wrote with this source branch and any target. */
  countOpenFrom(branch: BranchOf, authorId: string): Promise<number>;
  /** Open requests with this target branch, sorted by id, after the id `after`, at most `limit`. */
  openInto(branch: BranchOf, after: string | undefined, limit: number): Promise<readonly MergeRequest[]>;
  /** Open requests of the repository with one of these target branches, sorted by id, at most `limit`. One query. */
  openIntoAny(repositoryId: string, branches: readonly string[], limit: number): Promise<readonly MergeRequest[]>;

  /** How many requests each user wrote, reviews, comments on or merged. Users with none may be missing. */
  countByUser(userIds: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** How many requests are open in each repository. Repositories with none may be missing. */
  countOpen(repositoryIds: readonly string[]): Promise<ReadonlyMap<string, number>>;
}

/** Selects requests by their source, their target, or the user who opened or last reopened them. */
export type FromOthers =
  | { readonly sourceRepositoryId: string }
  | { readonly repositoryId: string }
  | { readonly userId: string };

/** A branch of a repository. */
export interface BranchOf {
  readonly repositoryId: string;
  readonly branch: string;
}
