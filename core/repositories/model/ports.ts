// The port that this area needs besides git: the store of repositories.
import type { CountView, RepositoryCounts } from './offers.ts';
import type { Owned } from './quota.ts';
import type { Repository, Visibility } from './repository.ts';
import type { Collaboration } from './roles.ts';

/** The most generations of forks that are followed to the common ancestor. */
export const longestDescent = 100;

/** The reader for whom a query filters repositories. */
export type Reader =
  | { readonly kind: 'anonymous' }
  | { readonly kind: 'user'; readonly id: string; readonly isAdmin: boolean };

/** A repository with the requesting user's collaboration. */
export interface StandingRow {
  readonly repository: Repository;
  /** The collaboration of the caller, if they are a collaborator. */
  readonly collaboration: Collaboration | undefined;
  /** Present if requested: the store's own counts, and those of the views that it has read. */
  readonly counts?: FoundCounts;
}

/** The orders of a list: most recently updated, newest, or by name without regard to case. */
export const repositorySorts = ['updated', 'created', 'name'] as const;
/** One of these orders. */
export type RepositorySort = (typeof repositorySorts)[number];

/** The filter of a list of repositories, and its reader. */
export interface RepositoryFilter {
  readonly reader: Reader;
  /** Only repositories of this user. */
  readonly ownerId?: string | undefined;
  /** Only repositories of the user with this name, compared case-insensitively. */
  readonly owner?: string | undefined;
  /** Only forks of this repository. */
  readonly parentId?: string | undefined;
  /** Only these repositories. */
  readonly ids?: readonly string[] | undefined;
  /** Only repositories that this user owns, collaborates on or watches. */
  readonly involving?: string | undefined;
  readonly visibility?: Visibility | undefined;
  /** Only repositories with each of these texts in `owner/name` or the description, compared case-insensitively. */
  readonly words?: readonly string[] | undefined;
  /** Default: `updated`. */
  readonly sort?: RepositorySort | undefined;
  readonly limit: number;
  /** How many rows to skip. */
  readonly offset?: number;
}

/** The members of the record that can change. */
export type RepositoryPatch = Partial<
  Pick<Repository, 'name' | 'description' | 'visibility' | 'defaultBranch' | 'issueCode'>
> &
  Pick<Repository, 'updatedAt'>;

/** A repository whose pruning is due, and the values that were read. */
export interface PlannedPrune {
  readonly repositoryId: string;
  readonly pruneAt: Date;
  readonly updatedAt: Date;
}

/** The names of the unique constraints, as in `Duplicate`. */
export const uniques = {
  name: 'repositories_repository_owner_name',
  issueCode: 'repositories_repository_owner_issue_code',
} as const;

/** The counts that the store of repositories keeps itself. */
export type OwnCounts = Pick<RepositoryCounts, 'stars' | 'watchers' | 'forks' | 'starred' | 'watching'>;

/** The counts that were read in the query that found the repository. */
export type FoundCounts = OwnCounts & Partial<RepositoryCounts>;

/** A repository with the counts that were read in the same query, if it was requested as `counted-repository`. */
export type CountedRepository = Repository & { readonly found?: FoundCounts };

/** Stores the records of repositories. */
export interface RepositoryStore {
  /**
   * Finds a repository by owner and name, case-insensitively, with the user's own collaborator row. If `counted` is
   * given, even empty, also reads the counts of `ownCounts` and of these views. One query, which may be compiled once
   * for each list of views. A store without views ignores them.
   */
  standing(
    owner: string,
    name: string,
    userId: string | undefined,
    counted?: readonly CountView[],
  ): Promise<StandingRow | undefined>;
  byId(id: string): Promise<Repository | undefined>;
  /** Those of these users who can read it by visibility, ownership or collaboration; one query. */
  readers(id: string, userIds: readonly string[]): Promise<readonly string[]>;
  /** The parent of a fork, if it still exists. */
  parentOf(id: string): Promise<Repository | undefined>;
  /**
   * The repositories of the user with this name, compared case-insensitively, that have the same oldest ancestor as
   * this one, over at most `longestDescent` generations. Oldest first; one query.
   */
  network(id: string, owner: string): Promise<readonly Repository[]>;
  /** The id of the owner's repository with this name, compared case-insensitively. */
  idByName(ownerId: string, name: string): Promise<string | undefined>;
  /** The repositories that the reader can read, in the order of `sort`; one query. */
  list(filter: RepositoryFilter): Promise<readonly Repository[]>;
  /** The ids of the repositories that the reader can read, in no order; at most `limit`. */
  readableIds(reader: Reader, limit: number): Promise<readonly string[]>;
  /** The repositories with these paths, as `owner/name`, compared case-insensitively; one query. */
  named(paths: readonly string[]): Promise<readonly Repository[]>;
  /** All repositories, sorted by id, after the id `after`, at most `limit`. */
  all(after: string | undefined, limit: number): Promise<readonly Repository[]>;
  /**
   * The counts of a batch of repositories in one query. `userId` is the user whose own stars and watches are read, and
   * who may read the forks that are counted; undefined for an anonymous caller.
   */
  ownCounts(repositoryIds: readonly string[], userId: string | undefined): Promise<ReadonlyMap<string, OwnCounts>>;
  /** Those of these ids that are ids of repositories; one query. */
  known(ids: readonly string[]): Promise<ReadonlySet<string>>;
  /** How many repositories each of these users owns. Users with none may be missing. */
  countByOwner(userIds: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /**
   * The numbers and bytes that the user owns. The bytes include those that were copied to repositories of others for
   * requests of the user, and exclude those that were copied to the user's repositories for requests of others. With
   * `held`, inside a unit of work, other calls with `held` for the same user wait until it ends.
   */
  owned(userId: string, how?: 'held'): Promise<Owned>;
  /** Sets the size in bytes, or adds to it. */
  resize(id: string, how: { readonly to: number } | { readonly by: number }): Promise<void>;
  /** @throws {Duplicate} naming one of `uniques`. Rejects an owner that does not exist. */
  insert(repository: Repository, parentId?: string): Promise<void>;
  /** Returns whether the repository exists. @throws {Duplicate} naming one of `uniques`. */
  update(id: string, patch: RepositoryPatch): Promise<boolean>;
  /** Plans when to prune the repository, unless a time is already planned, or with `sooner` only an earlier one. */
  planPrune(id: string, at: Date, how?: 'sooner'): Promise<void>;
  /**
   * The repositories whose pruning was planned for `now` or before, and that were last updated before `idleSince`. The
   * longest due first; one query.
   */
  duePrunes(due: {
    readonly now: Date;
    readonly idleSince: Date;
    readonly limit: number;
  }): Promise<readonly PlannedPrune[]>;
  /**
   * Replaces the planned time, or clears it if `next` is undefined, if it is still the one in `seen` and, if given,
   * `updatedAt` is unchanged too. Returns whether it was replaced.
   */
  replanPrune(
    id: string,
    seen: { readonly pruneAt: Date; readonly updatedAt?: Date },
    next: Date | undefined,
  ): Promise<boolean>;
  /**
   * Returns whether the repository existed. Also deletes its collaborators, role templates, stars and watches. Forks
   * stay, without a parent.
   */
  delete(id: string): Promise<boolean>;
}
