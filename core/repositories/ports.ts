// What this area asks of the world beside git: the store of repositories.
import type { CountView, RepositoryCounts } from './offers.ts';
import type { Owned } from './quota.ts';
import type { Repository } from './repository.ts';
import type { Collaboration } from './roles.ts';

/** Forks of forks in a row that are followed to the repository they all came from. */
export const longestDescent = 100;

/** Who reads: decides in the query itself which rows there are. */
export type Reader =
  | { readonly kind: 'anonymous' }
  | { readonly kind: 'user'; readonly id: string; readonly isAdmin: boolean };

/** A repository with the standing of the user who asked. */
export interface StandingRow {
  readonly repository: Repository;
  /** The caller's, where they are a collaborator. */
  readonly collaboration: Collaboration | undefined;
  /** Where they were asked for: the store's own, and of the views those that it reads. */
  readonly counts?: FoundCounts;
}

/** Which repositories a list shows, and to whom. */
export interface RepositoryFilter {
  readonly reader: Reader;
  /** Of this user only. */
  readonly ownerId?: string | undefined;
  /** Of the user of this name only, compared case-insensitively. */
  readonly owner?: string | undefined;
  /** Forks of this repository only. */
  readonly parentId?: string | undefined;
  /** Of these only. */
  readonly ids?: readonly string[] | undefined;
  readonly limit: number;
  /** How many to pass over. */
  readonly offset?: number;
}

/** What may change in the record of a repository. */
export type RepositoryPatch = Partial<
  Pick<Repository, 'name' | 'description' | 'visibility' | 'defaultBranch' | 'issueCode'>
> &
  Pick<Repository, 'updatedAt'>;

/** A repository that waits to be pruned, as it was read. */
export interface PlannedPrune {
  readonly repositoryId: string;
  readonly pruneAt: Date;
  readonly updatedAt: Date;
}

/** The names of the unique constraints, as `Duplicate` carries them. */
export const uniques = {
  name: 'repositories_repository_owner_name',
  issueCode: 'repositories_repository_owner_issue_code',
} as const;

/** Of a record's counts, those that the store of repositories keeps itself. */
export type OwnCounts = Pick<RepositoryCounts, 'stars' | 'watchers' | 'forks' | 'starred' | 'watching'>;

/** What was counted in the query that found a repository. */
export type FoundCounts = OwnCounts & Partial<RepositoryCounts>;

/** Where the records of repositories are kept. */
export interface RepositoryStore {
  /**
   * By owner and name, case-insensitively, with the user's own collaborator row and, where `counted` by views or by
   * none, with what `ownCounts` tells; one query, which may be compiled once for each list of views. A store without
   * views leaves them out.
   */
  standing(
    owner: string,
    name: string,
    userId: string | undefined,
    counted?: readonly CountView[],
  ): Promise<StandingRow | undefined>;
  byId(id: string): Promise<Repository | undefined>;
  /** Of these users, those who may read it by visibility, ownership or collaboration; one query. */
  readers(id: string, userIds: readonly string[]): Promise<readonly string[]>;
  /** What a repository was forked from, while that exists. */
  parentOf(id: string): Promise<Repository | undefined>;
  /**
   * Of the user of this name, compared case-insensitively, the repositories that lead over at most `longestDescent`
   * parents to the same repository as this one; oldest first, in one query.
   */
  network(id: string, owner: string): Promise<readonly Repository[]>;
  /** The id of the owner's repository of that name, compared case-insensitively. */
  idByName(ownerId: string, name: string): Promise<string | undefined>;
  /** What the reader may read, most recently updated first; one query. */
  list(filter: RepositoryFilter): Promise<readonly Repository[]>;
  /** For a batch of repositories in one query; `userId` is whose own marks are told. */
  ownCounts(repositoryIds: readonly string[], userId: string | undefined): Promise<ReadonlyMap<string, OwnCounts>>;
  /** Of these ids those of repositories that there are; one query. */
  known(ids: readonly string[]): Promise<ReadonlySet<string>>;
  /** How many each of these users owns; users with none may be missing. */
  countByOwner(userIds: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** What the user owns. `held`, inside a unit of work: others who hold the same user's wait until it ends. */
  owned(userId: string, how?: 'held'): Promise<Owned>;
  /** Sets the bytes it takes, or adds to them. */
  resize(id: string, how: { readonly to: number } | { readonly by: number }): Promise<void>;
  /** @throws {Duplicate} naming one of `uniques`. Refuses an owner that does not exist. */
  insert(repository: Repository, parentId?: string): Promise<void>;
  /** Whether it was there. @throws {Duplicate} naming one of `uniques`. */
  update(id: string, patch: RepositoryPatch): Promise<boolean>;
  /** Sets when the repository is to be pruned, where nothing is planned. */
  planPrune(id: string, at: Date): Promise<void>;
  /**
   * What is planned for `now` or before, of repositories last updated before `idleSince`: the longest due first, in one
   * query.
   */
  duePrunes(due: {
    readonly now: Date;
    readonly idleSince: Date;
    readonly limit: number;
  }): Promise<readonly PlannedPrune[]>;
  /**
   * Plans anew, or nothing where `next` is undefined, if the plan is still the one seen and, where given, so is the
   * repository's time. Whether it was.
   */
  replanPrune(
    id: string,
    seen: { readonly pruneAt: Date; readonly updatedAt?: Date },
    next: Date | undefined,
  ): Promise<boolean>;
  /**
   * Whether it was there. Collaborators, role templates, stars and watchers go with it; forks stay, without a parent.
   */
  delete(id: string): Promise<boolean>;
}
