// What this area asks of the world: the store of merge requests.
import type { Carriers } from '#core/planning/index';
import type { NumberedSlice } from '#core/repositories/index';
import type { ListedRow, MergeRequest, MergeRow, MergeState } from './merge-request.ts';

/** A merge request that others wait for, with the sets that an update replaces. */
export type HeldRequest = MergeRequest & {
  readonly labelIds: readonly string[];
  readonly assigneeIds: readonly string[];
};

/** What an update writes of the row. */
export type MergePatch = Partial<
  Pick<
    MergeRequest,
    | 'title'
    | 'description'
    | 'state'
    | 'isDraft'
    | 'targetBranch'
    | 'milestoneId'
    | 'headOid'
    | 'baseOid'
    | 'mergeCommit'
    | 'mergedById'
    | 'mergedAt'
    | 'closedAt'
  >
> &
  Pick<MergeRequest, 'updatedAt'>;

/** What is to be merged into what; at most one open request of a pair is there. */
export type BranchPair = Pick<MergeRequest, 'repositoryId' | 'sourceRepositoryId' | 'sourceBranch' | 'targetBranch'>;

/** The name of the unique constraint, as `Duplicate` carries it. */
export const openPairUnique = 'merges_request_open_pair';

/** What a list shows; what is absent restricts nothing. */
export interface MergeFilter {
  readonly state?: MergeState | undefined;
}

/** Where merge requests are kept. */
export interface MergeStore extends Carriers {
  /**
   * Inside a unit of work: the next number of the repository. Others who take one there wait until it ends, and where
   * it fails the number is given again. As with all that is held here, the repository is not deleted meanwhile: labels
   * and milestones are held after it, lest both wait for each other.
   */
  nextNumber(repositoryId: string): Promise<number>;
  /** @throws {Duplicate} `openPairUnique` where an open one of the pair is there. */
  insert(request: MergeRequest): Promise<void>;
  /** Inside a unit of work: others who hold the same request wait until it ends. */
  held(repositoryId: string, number: number): Promise<HeldRequest | undefined>;
  /** @throws {Duplicate} as `insert`. */
  update(id: string, patch: MergePatch): Promise<void>;
  /** In the place of those before. */
  replaceLabels(id: string, labelIds: readonly string[]): Promise<void>;
  /** In the place of those before. */
  replaceAssignees(id: string, userIds: readonly string[]): Promise<void>;

  /** The row alone. */
  find(repositoryId: string, number: number): Promise<MergeRequest | undefined>;
  /** With what is read beside it; one query. */
  byNumber(repositoryId: string, number: number): Promise<MergeRow | undefined>;
  /** One query. */
  list(repositoryId: string, filter: MergeFilter, slice: NumberedSlice): Promise<readonly ListedRow[]>;
  /** How many there are in all. */
  count(repositoryId: string, filter: MergeFilter): Promise<number>;
  /** The number of the open request of the pair. */
  openOf(pair: BranchPair): Promise<number | undefined>;
  /** Open ones that come from the branch, of whatever target; by id, beyond one, at most `limit`. */
  openFrom(branch: BranchOf, after: string | undefined, limit: number): Promise<readonly MergeRequest[]>;
  /** Open ones that are to go into the branch; by id, beyond one, at most `limit`. */
  openInto(branch: BranchOf, after: string | undefined, limit: number): Promise<readonly MergeRequest[]>;

  /** How many each of these users wrote, reviews, comments on or merged; users with none may be missing. */
  countByUser(userIds: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** How many are open in each of these repositories; those with none may be missing. */
  countOpen(repositoryIds: readonly string[]): Promise<ReadonlyMap<string, number>>;
}

/** A branch of a repository. */
export interface BranchOf {
  readonly repositoryId: string;
  readonly branch: string;
}
