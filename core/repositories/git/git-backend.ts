// The port `GitBackend`: all operations on git. Repositories are identified by uuid. Revisions that users write are
// only accepted by `resolveCommit`.
import { declarePort } from '#core/kernel/ports';
import type {
  ArchiveFormat,
  BlamedLine,
  CommitRecord,
  Difference,
  FileWrite,
  HistoryQuery,
  PushHooks,
  WriteOutcome,
} from './git-history.ts';
import type { DiffCaps, Patch, PatchQuery } from './git-diffs.ts';
import type { CommitToKeep, KeepHooks, Keeping } from './git-keeping.ts';
import type { MergeCheck, MergeOutcome, MergeTrial, MergeWrite } from './git-merging.ts';
import type { Blob, LastCommit, Oid, Ref, RefList, RefUpdate, TreeEntry, TreeListing } from './git-objects.ts';
import type { GitService, PushAnswer, ReceiveRequest, ServeRequest } from './git-transport.ts';
import type { Divergence, Moving, NewTag, Tip } from './git-refs.ts';
import type { TreeChanges, TreeChangeSlice } from './git-trees.ts';

export * from './git-diffs.ts';
export * from './git-history.ts';
export * from './git-keeping.ts';
export * from './git-merging.ts';
export * from './git-objects.ts';
export * from './git-refs.ts';
export * from './git-transport.ts';
export * from './git-trees.ts';

/** The port of git. */
export interface GitBackend {
  /** Creates an empty bare repository. Idempotent. */
  create(repository: string, options: { readonly defaultBranch: string }): Promise<void>;
  /**
   * Creates `target` with the branches and tags of `source` and all objects reachable from them, in a separate object
   * store. Other refs are not copied. If this fails, the caller must remove `target`.
   * @throws {NotFound} if `source` does not exist.
   */
  fork(
    source: string,
    target: string,
    options: { readonly defaultBranch: string; readonly signal: AbortSignal },
  ): Promise<void>;
  /** Hides the repository immediately and deletes its files soon after. Idempotent. */
  remove(repository: string): Promise<void>;
  exists(repository: string): Promise<boolean>;
  /** The ids of all repositories on disk, for the reconciler. */
  list(): Promise<readonly string[]>;
  /** Points HEAD to `refs/heads/<branch>`, which need not exist. */
  setDefaultBranch(repository: string, branch: string): Promise<void>;

  /**
   * Resolves a revision that a user wrote: a branch, a tag, an oid of 4 to 40 digits, `HEAD` or a full ref name. A
   * branch has precedence over a tag of the same name, and text that begins with `refs/` only matches that ref. Fewer
   * than 40 digits match only commits to which a visible ref leads, and tags that are refs.
   * Undefined for text that matches nothing, is ambiguous or is not a legal ref name. An illegal name is never passed
   * to git.
   */
  resolveCommit(repository: string, revision: string): Promise<Oid | undefined>;
  /** Whether git allows the name for a branch or tag, and it starts with neither `-` nor `refs/`. */
  isLegalName(kind: 'branch' | 'tag', name: string): boolean;
  /** Refs below `refs/heads/` or `refs/tags/`, or all refs that clients may push, sorted by name. */
  refs(repository: string, kind: 'branches' | 'tags' | 'all'): Promise<readonly Ref[]>;
  /** The same without reading objects. Cheap enough to be called often, for any number of refs. */
  refList(repository: string, kind: 'branches' | 'tags' | 'all'): Promise<RefList>;
  /** The current values of the named refs, in the given order; `zeroOid` for a ref that does not exist. */
  readRefs(repository: string, names: readonly string[]): Promise<readonly Oid[]>;
  /** The objects that refs point to. Oids that are not objects are left out. */
  tips(repository: string, oids: readonly Oid[]): Promise<ReadonlyMap<Oid, Tip>>;
  /**
   * The divergence of each head, a commit, from `base`. Starts at most one process for all of them, and none for cached
   * results.
   */
  divergence(
    repository: string,
    base: Oid,
    heads: readonly Oid[],
    signal?: AbortSignal,
  ): Promise<ReadonlyMap<Oid, Divergence>>;
  /**
   * Moves all of the refs or none, each only if it still has its old value. The change is durable when this resolves to
   * `moved`. If it rejects, the refs may have moved anyway.
   */
  moveRefs(repository: string, updates: readonly RefUpdate[]): Promise<Moving>;
  /** Writes the object of an annotated tag, without a ref. */
  writeTag(repository: string, tag: NewTag): Promise<Oid>;
  /**
   * Points a ref of `repository` to a commit of the same or another repository, and copies all objects that are
   * reachable from the commit and missing. The objects are checked and judged like a push. The result is durable and
   * independent of the other repository when this resolves to `kept`. The ref only moves if its value has not changed
   * since the call began.
   * @throws {NotFound} if a repository, or the commit in the repository `from`, does not exist or is deleted meanwhile;
   * {Unprocessable} for objects that a push would not accept; {Unavailable} if the deadline is exceeded.
   */
  keepCommit(repository: string, kept: CommitToKeep, hooks: KeepHooks): Promise<Keeping>;

  /**
   * The entry at a path of a commit; the root tree for ''. Undefined if there is no entry. Paths with `..`, empty or
   * `.git` segments have no entry.
   */
  entry(repository: string, commit: Oid, path: string): Promise<TreeEntry | undefined>;
  /** The entries of a tree with their sizes. */
  tree(repository: string, tree: Oid): Promise<TreeListing>;
  /**
   * The last commit of each entry in a folder's listing, exactly as `git log -1 -- path` finds it. An entry is missing
   * if the walk exceeded its deadline (30 s by default). The walk continues, and a later call has the result.
   */
  lastCommits(
    repository: string,
    commit: Oid,
    path: string,
    signal?: AbortSignal,
  ): Promise<ReadonlyMap<string, LastCommit>>;
  blob(repository: string, oid: Oid, signal?: AbortSignal): Promise<Blob>;

  /** The record of a commit. Undefined if the oid is not a commit. */
  commitRecord(repository: string, commit: Oid): Promise<CommitRecord | undefined>;
  /**
   * The commits reachable from `tip`, in the order of `git log`.
   * @throws {Unavailable} if the deadline (10 s by default) is exceeded.
   */
  history(repository: string, query: HistoryQuery, signal?: AbortSignal): Promise<readonly CommitRecord[]>;
  /**
   * The changes from one commit to another, with renames; from an empty tree if `from` is undefined.
   * @throws {Unavailable} if the deadline is exceeded.
   */
  difference(repository: string, from: Oid | undefined, to: Oid, signal?: AbortSignal): Promise<Difference>;
  /**
   * The files that differ between two commits, by their blobs and without renames; all files of `to` if `from` is
   * undefined.
   * @throws {Unavailable} if the deadline is exceeded; any error if a commit does not exist.
   */
  treeChanges(
    repository: string,
    from: Oid | undefined,
    to: Oid,
    slice: TreeChangeSlice,
    signal?: AbortSignal,
  ): Promise<TreeChanges>;
  /**
   * The changes as a readable diff, exactly as `git diff -M` prints it, independent of configuration and attributes.
   * @throws {Unprocessable} if it takes more time or memory than one request may use.
   */
  patch(repository: string, query: PatchQuery, caps: DiffCaps, signal?: AbortSignal): Promise<Patch>;
  /**
   * The best common ancestor. Undefined if there is no common ancestor.
   * @throws {Unavailable} if the deadline is exceeded.
   */
  mergeBase(repository: string, one: Oid, other: Oid, signal?: AbortSignal): Promise<Oid | undefined>;
  /**
   * The commit that each line of a file comes from. Undefined if git finds no file at the path.
   * @throws {Unavailable} if the deadline is exceeded.
   */
  blame(
    repository: string,
    commit: Oid,
    path: string,
    signal?: AbortSignal,
  ): Promise<readonly BlamedLine[] | undefined>;
  /**
   * The tree of a commit, packed by `git archive` with every path below `prefix`. `export-subst` attributes have no
   * effect.
   */
  archive(
    repository: string,
    commit: Oid,
    options: { readonly format: ArchiveFormat; readonly prefix: string },
    signal?: AbortSignal,
  ): Promise<AsyncIterable<Uint8Array>>;
  /**
   * The bytes of a commit's files, of at most the first 250,000, summed by the result of `group` for each path. A file
   * whose group is '' is not counted.
   */
  sizes(
    repository: string,
    commit: Oid,
    group: (path: string) => string,
    signal?: AbortSignal,
  ): Promise<ReadonlyMap<string, number>>;
  /**
   * Creates a commit that changes one file and pushes it like a client: the push is checked, judged and announced. An
   * acknowledged write is durable.
   */
  write(repository: string, change: FileWrite, hooks: PushHooks): Promise<WriteOutcome>;

  /**
   * Whether git can merge two commits without a conflict. Leaves no objects behind, and starts no process for cached
   * results.
   * @throws {Conflict} if more than `mostRebased` commits would be rebased; {Unavailable} if the deadline is exceeded.
   */
  tryMerge(repository: string, trial: MergeTrial, signal?: AbortSignal): Promise<MergeCheck>;
  /**
   * Merges and pushes the result like a client: the push is checked, judged and announced. An acknowledged merge is
   * durable; any other merge leaves no objects behind.
   * @throws {Conflict} as `tryMerge`; {TimedOut} if the deadline (60 s by default) is exceeded.
   */
  merge(repository: string, change: MergeWrite, hooks: PushHooks): Promise<MergeOutcome>;

  /** The ref advertisement of smart HTTP, with its service header. */
  advertise(
    repository: string,
    request: { readonly service: GitService; readonly protocol: string | undefined; readonly signal: AbortSignal },
  ): Promise<AsyncIterable<Uint8Array>>;
  /** `POST /git-upload-pack`. */
  uploadPack(repository: string, request: ServeRequest): Promise<AsyncIterable<Uint8Array>>;
  /** `POST /git-receive-pack`. An acknowledged push is durable. */
  receivePack(repository: string, request: ReceiveRequest): Promise<PushAnswer>;
  /**
   * Maintenance after a push: writes the commit-graph with changed paths, packs refs, and caches the root listing of
   * the default branch. Never rejects for a broken repository.
   */
  maintain(repository: string): Promise<void>;
  /** The size of its objects on disk in bytes; 0 if the repository does not exist. */
  size(repository: string): Promise<number>;
  /**
   * For each of these commits: the bytes on disk of the objects that it reaches, and that neither a ref outside
   * `mergeRefs` nor an earlier commit of the list reaches. A missing commit has 0. Starts a process for each.
   */
  ownBytes(repository: string, commits: readonly Oid[], signal?: AbortSignal): Promise<readonly number[]>;
  /**
   * Removes objects that are not reachable from any ref, including hidden refs, and that were written before `before`.
   * Younger objects stay, together with all objects reachable from them; `remaining` is true if there are any. Pushes
   * and reads continue meanwhile. The caches of this process for the repository are cleared. Another process that
   * shares the directory may still return its cached data.
   * @throws {Unavailable} if the deadline is exceeded, or if a ref was pointed to an object that was to be removed. No
   * object is lost then.
   */
  prune(
    repository: string,
    options: { readonly before: Date; readonly signal?: AbortSignal },
  ): Promise<{ readonly remaining: boolean }>;
  /**
   * Removes what a killed process left behind: stale locks, temporary objects and half-removed repositories. Called at
   * boot, before requests are served.
   */
  sweep(): Promise<void>;
}

declare module '#core/kernel/ports' {
  interface Ports {
    GitBackend: GitBackend;
  }
}

declarePort('GitBackend', { arity: 'single', component: 'git back end', critical: true, absent: 'refuse' });
