// The ports by which other areas use this one, and the port `RepositoryCounters` by which they add counts.
import type { Granted } from '#core/kernel/access/access';
import type { Caller, User } from '#core/kernel/caller';
import { declarePort } from '#core/kernel/ports';
import type { MergeWrite, Oid, RefUpdate, ServeRequest } from '../git/git-backend.ts';
import type { BroughtFor } from './brought.ts';
import type { Protection } from './protection.ts';
import type { Repository } from './repository.ts';

/** Receives pushes, including everything that belongs to one: rules, intent, events, default branch and maintenance. */
export interface Pushes {
  /**
   * Serves `POST /git-receive-pack` for a caller with write access. The response must be read to its end, or closed by
   * `return`.
   */
  receive(
    granted: Granted<Repository, 'repo.write'>,
    request: Omit<ServeRequest, 'service'>,
  ): Promise<AsyncIterable<Uint8Array>>;
}

/**
 * Reads repositories for event handlers and jobs, which have an id and no caller. Does not check access. A plugin whose
 * tables refer to repositories needs this port.
 */
export interface Repositories {
  byId(id: string): Promise<Repository | undefined>;
  /** Those of these users who can read the repository, including administrators of the instance. */
  readers(repositoryId: string, userIds: readonly string[]): Promise<ReadonlySet<string>>;
  /**
   * Those of these users who hold a permission of the role table on the repository. Has the same rules as
   * `Granted.may`: by role, as owner or administrator of the instance, and by visibility. Suspended users hold none.
   */
  holders(repositoryId: string, permission: string, userIds: readonly string[]): Promise<ReadonlySet<string>>;
  /** Those of these repositories that the caller can read; one query. */
  readable(caller: Caller, ids: readonly string[]): Promise<ReadonlyMap<string, Repository>>;
  /**
   * The ids of the repositories that the caller can read, in no order; at most `most`, and one more if there are more.
   * One query.
   */
  readableIds(caller: Caller, most: number): Promise<readonly string[]>;
  /**
   * The ids of repositories that the caller can read without holding this permission, because of a custom role; at most
   * 1,000, and usually none. One query.
   */
  lacking(caller: Caller, permission: string): Promise<readonly string[]>;
  /** Those of these repositories that exist, given and returned as `owner/name` in lower case; one query. */
  named(paths: readonly string[]): Promise<ReadonlyMap<string, Repository>>;
  /**
   * The repositories that the caller can read with each of these texts in `owner/name` or the description, compared
   * case-insensitively, the most recently updated first; one query.
   */
  matching(caller: Caller, texts: readonly string[], limit: number): Promise<readonly Repository[]>;
  /** All repositories, sorted by id, after the id `after`, at most `limit`. */
  all(after: string | undefined, limit: number): Promise<readonly Repository[]>;
  /** The protections of a repository by branch. Branches without protection are missing. */
  protections(repositoryId: string): Promise<ReadonlyMap<string, Protection>>;
}

/** Changes settings of a repository (`repositorySettings` of plugins) for an administrator of it. */
export interface RepositorySettingWriter {
  /**
   * Writes all changes or none, with an audit entry for each. Values are texts.
   * @throws {NotFound} for a key that no running plugin declares; {ValidationFailed | Unprocessable}.
   */
  write(
    granted: Granted<Repository, 'repo.admin', User>,
    changes: readonly { readonly key: string; readonly value: string }[],
  ): Promise<unknown>;
}

/** A commit of a merge request, and the repository that has it. */
export interface OfferedCommit {
  /** The repository that has the commit: the target itself, or a fork. */
  readonly sourceRepositoryId: string;
  readonly commit: Oid;
  /** Absent: the objects count for the owner of the target. */
  readonly broughtFor?: BroughtFor;
}

/** The user for whom a commit is kept. Quotas do not apply to administrators of the instance. */
export interface KeepingFor {
  /** Absent: the server itself, such as after a push. */
  readonly caller?: Caller;
  readonly signal: AbortSignal;
}

/**
 * Keeps the commits of merge requests in their target repository as `refs/merges/{number}/head`. git clients may fetch
 * the ref but not push it; no list shows it and no fork copies it. Does not check access.
 *
 * The ref needs no intent, because it follows from the request. If a process ends after the request was committed, the
 * handler of the request's event keeps the commit again, which does nothing if the ref exists. The last call wins.
 * Callers that keep several commits of one request must use a lock (`Locks`), and keep the commit that is stored in the
 * database when they have the lock.
 */
export interface MergeHeads {
  /**
   * Copies a commit and all objects reachable from it, for a request that has no number yet. The objects stay for at
   * least a day without a ref.
   * @throws {Unprocessable} `quota_exceeded` if the quota of the author, or of the target's owner, is exhausted or the
   * commit is too large; {NotFound} if a repository or the commit does not exist; {Unavailable}.
   */
  bring(repositoryId: string, offered: OfferedCommit, by: KeepingFor): Promise<void>;
  /** Points the ref of a request to a commit, and copies the commit if it is missing. Throws as `bring` does. */
  keep(repositoryId: string, number: number, offered: OfferedCommit, by: KeepingFor): Promise<void>;
  /**
   * Removes the ref of a request that was closed unmerged, so that its objects are pruned: large ones from a day later
   * on, others when the repository is pruned next. Until then they count for the author.
   * @param number undefined for a request that was not opened.
   */
  letGo(repositoryId: string, number: number | undefined, requestId: string): Promise<void>;
  /** Lets the objects of a merged request count for the owner of the target. */
  takeOver(requestId: string): Promise<void>;
  /** Removes the ref of a request, if it exists. */
  drop(repositoryId: string, number: number): Promise<void>;
  /**
   * The repositories of this user, by case-insensitive username, that are in the same fork network as this one,
   * including this one. Two repositories are in the same network if one is a fork of the other, or both are forks of a
   * common ancestor, through at most 100 generations that all still exist. Oldest first; one query.
   */
  network(repositoryId: string, owner: string): Promise<readonly Repository[]>;
}

/** An open merge request whose commits may have been copied from another repository. */
export interface KeptRequest extends BroughtFor {
  readonly commit: Oid;
}

/** The open merge requests from other repositories, whose objects are measured after a pruning. */
export interface KeptRequests {
  /** Those into one repository, also from deleted ones, sorted by id, after the id `after`, at most `limit`. */
  into(repositoryId: string, after: string | undefined, limit: number): Promise<readonly KeptRequest[]>;
}

/** A merge into a branch. */
export interface MergeInto extends Omit<MergeWrite, 'ref' | 'target'> {
  /** Short: `main`. */
  readonly branch: string;
}

/** The result. `moved`: the branch was moved concurrently; the caller can try again. */
export type Merged =
  | { readonly kind: 'merged'; readonly update: RefUpdate }
  /** The target, at this commit, already has all commits. */
  | { readonly kind: 'nothing'; readonly target: Oid }
  | { readonly kind: 'conflict'; readonly conflicts: readonly string[] }
  | { readonly kind: 'moved' | 'no-target' };

/** Callbacks of a merge. */
export interface MergeHooks {
  /** Called before the branch can move, outside of a unit of work. Data that must survive a crash is written here. */
  announced?(update: RefUpdate): Promise<void>;
  /** Called immediately before the branch would move. If it rejects, the branch does not move. */
  allowed?(): Promise<void>;
  /**
   * Runs in the transaction that records that the branch moved; may run more than once. Not called if the record is
   * written later, because the database was unavailable or the process ended. Then the caller must find out from the
   * branch whether the merge in `announced` happened.
   */
  recorded?(update: RefUpdate): Promise<void>;
}

/**
 * Merges with the rules, intent, events and maintenance of a push, except that `push_roles` does not apply. An access
 * recheck happens immediately before the branch would move.
 */
export interface Merging {
  /**
   * @throws {Forbidden} with the rule that does not allow the change; {Unauthorized | NotFound} if access was lost
   * meanwhile; {Unprocessable} `quota_exceeded`; {Conflict} if there are too many commits to rebase; {TimedOut};
   * {Unavailable}.
   */
  merge(granted: Granted<Repository, 'merge.merge', User>, change: MergeInto, hooks?: MergeHooks): Promise<Merged>;
  /**
   * Deletes a branch as over REST, but only if its tip is this commit.
   * @throws {ValidationFailed} for the default branch; {Forbidden} for a protected one; {Conflict} if its tip is
   * another commit; {NotFound | RateLimited | Unavailable}.
   */
  deleteBranch(
    granted: Granted<Repository, 'repo.write', User>,
    branch: { readonly name: string; readonly at: Oid },
  ): Promise<void>;
}

/** The counts in the record of a repository. */
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

/** The counts of a repository that has nothing to count. */
export const noCounts: RepositoryCounts = {
  stars: 0,
  forks: 0,
  watchers: 0,
  openIssues: 0,
  openMergeRequests: 0,
  starred: false,
  watching: false,
};

/** A database view with one number per repository, as `(repository_id, count)`. A repository without a row has 0. */
export interface CountView {
  /** The name of a view of the provider. */
  readonly name: string;
  readonly member: 'stars' | 'forks' | 'watchers' | 'openIssues' | 'openMergeRequests';
}

/** Fills members of the counts for a batch of repositories. Each provider fills its own members. */
export interface RepositoryCounters {
  /**
   * A view with the same number as `counts`, if the provider counts only one. The query that finds a repository then
   * joins the view. `counts` is called only without such a query, such as for lists and in memory.
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
    RepositorySettingWriter: RepositorySettingWriter;
  }
  interface OptionalPorts {
    KeptRequests: KeptRequests;
  }
  interface PluralPorts {
    RepositoryCounters: RepositoryCounters;
  }
}

for (const [port, component] of [
  ['Pushes', 'repositories'],
  ['Repositories', 'repository records'],
  ['MergeHeads', 'commits of merge requests'],
  ['Merging', 'merging'],
  ['RepositorySettingWriter', 'writer of repository settings'],
] as const)
  declarePort(port, {
    arity: 'single',
    component: `${component} (plugin "repositories")`,
    critical: true,
    absent: 'refuse',
  });
declarePort('KeptRequests', {
  arity: 'optional',
  component: 'merge requests from other repositories',
  critical: false,
  absent: 'degraded',
});
declarePort('RepositoryCounters', {
  arity: 'plural',
  component: 'repository counters',
  critical: false,
  absent: 'degraded',
  methods: ['counts'],
});
