// What this area offers to others, reached through ports its plugin provides.
import type { Granted } from '#core/kernel/access';
import type { Caller, User } from '#core/kernel/caller';
import { declarePort } from '#core/kernel/ports';
import type { MergeWrite, Oid, RefUpdate, ServeRequest } from './git-backend.ts';
import type { Protection } from './protection.ts';
import type { Repository } from './repository.ts';

/**
 * Receives pushes, with everything that belongs to one: the rules, the intent, the events, the default branch, upkeep.
 */
export interface Pushes {
  /**
   * Serves `POST /git-receive-pack` for a caller who may write. The answer is to be read to its end or returned early.
   */
  receive(
    granted: Granted<Repository, 'repo.write'>,
    request: Omit<ServeRequest, 'service'>,
  ): Promise<AsyncIterable<Uint8Array>>;
}

/**
 * For handlers and jobs, which come by an id and have no caller: nothing is decided about access here. A plugin whose
 * tables refer to repositories needs this port.
 */
export interface Repositories {
  byId(id: string): Promise<Repository | undefined>;
  /** Of these users, those who may read the repository, as administrators of the instance too. */
  readers(repositoryId: string, userIds: readonly string[]): Promise<ReadonlySet<string>>;
  /**
   * Of these users, those who hold a permission of the role table on the repository, as `Granted.may` would say of
   * each: by their role, as the owner or as administrators of the instance, and by visibility where that gives it.
   */
  holders(repositoryId: string, permission: string, userIds: readonly string[]): Promise<ReadonlySet<string>>;
  /** Of these repositories, those that the caller may read; one query. */
  readable(caller: Caller, ids: readonly string[]): Promise<ReadonlyMap<string, Repository>>;
  /** What protects the branches of a repository, by branch; those that nothing protects are missing. */
  protections(repositoryId: string): Promise<ReadonlyMap<string, Protection>>;
}

/** A commit that a merge request offers, and who asks for it. */
export interface OfferedCommit {
  /** The repository that has it: the target itself, or a fork. */
  readonly sourceRepositoryId: string;
  readonly commit: Oid;
}

/** On whose behalf a commit is kept: quotas are not for administrators of the instance. */
export interface KeepingFor {
  /** Absent: the forge itself, as when it follows a push. */
  readonly caller?: Caller;
  readonly signal: AbortSignal;
}

/**
 * The commits of merge requests, kept in their target as `refs/merges/{number}/head`: git clients may fetch the ref,
 * nobody may push it, no list names it and no fork takes it along. Nothing is decided about access here.
 *
 * The ref follows from the request and is nothing to reconcile: where a process ends between the two, whoever handles
 * the request's event keeps it again, which does nothing where it is there. The last call wins; who keeps several
 * commits of one request takes turns (`Locks`) and keeps what is on record then.
 */
export interface MergeHeads {
  /**
   * Brings a commit in, with what it leads to, for a request that has no number yet. For a day it stays though no ref
   * names it.
   * @throws {Unprocessable} `quota_exceeded` where the owner of the target has no room for it, or it is too large;
   * {NotFound} where a repository or the commit is gone; {Unavailable}.
   */
  bring(repositoryId: string, offered: OfferedCommit, by: KeepingFor): Promise<void>;
  /** Points the ref of a request to a commit, which is brought where it is missing. Throws as `bring` does. */
  keep(repositoryId: string, number: number, offered: OfferedCommit, by: KeepingFor): Promise<void>;
  /** Removes the ref of a request, if there is one. */
  drop(repositoryId: string, number: number): Promise<void>;
  /**
   * Of the user of this name, compared case-insensitively, those repositories that are in one fork network with this
   * one, itself included: forks of each other or of one repository, over any number of forks in between (100 in a row
   * at the most), as long as all of those exist. Oldest first; one query.
   */
  network(repositoryId: string, owner: string): Promise<readonly Repository[]>;
}

/** What is to be merged into which branch. */
export interface MergeInto extends Omit<MergeWrite, 'ref' | 'target'> {
  /** Short: `main`. */
  readonly branch: string;
}

/** What became of it: `moved`, where somebody else moved the branch meanwhile, and it may be tried again. */
export type Merged =
  | { readonly kind: 'merged'; readonly update: RefUpdate }
  /** The target, at this commit, has all of it already. */
  | { readonly kind: 'nothing'; readonly target: Oid }
  | { readonly kind: 'conflict'; readonly conflicts: readonly string[] }
  | { readonly kind: 'moved' | 'no-target' };

/** What merging has beside. */
export interface MergeHooks {
  /** Told before the branch can move: what is to survive a crash is written here, outside of a unit of work. */
  announced?(update: RefUpdate): Promise<void>;
  /** Asked in the moment in which the branch would move; where it rejects, the branch stays. */
  allowed?(): Promise<void>;
  /**
   * Runs in the transaction that records that the branch moved; it may run more than once. Not where the record follows
   * later, because the database was away or the process ended: then whoever was told by `announced` looks where the
   * branch stands.
   */
  recorded?(update: RefUpdate): Promise<void>;
}

/**
 * Merges under the rules of a push, with its intent, events and upkeep; `push_roles` does not limit it. Access is asked
 * again in the moment in which the branch would move.
 */
export interface Merging {
  /**
   * @throws {Forbidden} with the rule that does not let the branch move so; {Unauthorized | NotFound} where access was
   * lost meanwhile; {Unprocessable} `quota_exceeded`; {Conflict} where there are too many commits to be rebased;
   * {TimedOut}; {Unavailable}.
   */
  merge(granted: Granted<Repository, 'merge.merge', User>, change: MergeInto, hooks?: MergeHooks): Promise<Merged>;
  /**
   * Deletes a branch as over REST, but only where it stands at this commit. @throws {ValidationFailed} for the default
   * branch; {Forbidden} for a protected one; {Conflict} where it is elsewhere; {NotFound | RateLimited | Unavailable}.
   */
  deleteBranch(
    granted: Granted<Repository, 'repo.write', User>,
    branch: { readonly name: string; readonly at: Oid },
  ): Promise<void>;
}

/** Of a record, what other areas count (document B, "Repository record"). */
export interface RepositoryCounts {
  readonly stars: number;
  readonly forks: number;
  readonly watchers: number;
  readonly openIssues: number;
  readonly openMergeRequests: number;
  /** The caller's own state. */
  readonly starred: boolean;
  readonly watching: boolean;
}

/** The counts of a repository of which there is nothing to count. */
export const noCounts: RepositoryCounts = {
  stars: 0,
  forks: 0,
  watchers: 0,
  openIssues: 0,
  openMergeRequests: 0,
  starred: false,
  watching: false,
};

/** A view of the database with one number of each repository, as `(repository_id, count)`; without a row it is 0. */
export interface CountView {
  /** One of the provider's own tables. */
  readonly name: string;
  readonly member: 'stars' | 'forks' | 'watchers' | 'openIssues' | 'openMergeRequests';
}

/** Fills members of the counts for a batch of repositories; each provider answers for its own. */
export interface RepositoryCounters {
  /**
   * All that `counts` tells, where it is one number that a view has too: the query that finds a repository then counts,
   * and `counts` is asked only where there is no such query, as for lists and in memory.
   */
  readonly view?: CountView;
  counts(repositoryIds: readonly string[], caller: Caller): Promise<ReadonlyMap<string, Partial<RepositoryCounts>>>;
}

declare module '#core/kernel/ports' {
  interface Ports {
    Pushes: Pushes;
    Repositories: Repositories;
    MergeHeads: MergeHeads;
    Merging: Merging;
  }
  interface PluralPorts {
    RepositoryCounters: RepositoryCounters;
  }
}

declarePort('Pushes', {
  arity: 'single',
  component: 'repositories (plugin "repositories")',
  critical: true,
  absent: 'refuse',
});
declarePort('Repositories', {
  arity: 'single',
  component: 'repository records (plugin "repositories")',
  critical: true,
  absent: 'refuse',
});
declarePort('MergeHeads', {
  arity: 'single',
  component: 'commits of merge requests (plugin "repositories")',
  critical: true,
  absent: 'refuse',
});
declarePort('Merging', {
  arity: 'single',
  component: 'merging (plugin "repositories")',
  critical: true,
  absent: 'refuse',
});
declarePort('RepositoryCounters', {
  arity: 'plural',
  component: 'repository counters',
  critical: false,
  absent: 'degraded',
  methods: ['counts'],
});
