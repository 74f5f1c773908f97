// The port `GitBackend`: what the forge asks of git. Repositories are named by uuid; user text enters through `resolve`
// alone.
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

export * from './git-diffs.ts';
export * from './git-history.ts';
export * from './git-keeping.ts';
export * from './git-merging.ts';
export * from './git-objects.ts';
export * from './git-refs.ts';
export * from './git-transport.ts';

/** The port of git. */
export interface GitBackend {
  /** Makes an empty bare repository. Idempotent. */
  create(repository: string, options: { readonly defaultBranch: string }): Promise<void>;
  /**
   * Makes `target` with the branches and tags of `source` and what they lead to, in an object store of its own; other
   * refs stay behind.
   * Where it fails, what there is of `target` is to be removed. @throws {NotFound} without a `source`.
   */
  fork(
    source: string,
    target: string,
    options: { readonly defaultBranch: string; readonly signal: AbortSignal },
  ): Promise<void>;
  /** Removes it from sight at once and from the disk soon after. Idempotent. */
  remove(repository: string): Promise<void>;
  exists(repository: string): Promise<boolean>;
  /** Ids of every repository on disk, for the reconciler. */
  list(): Promise<readonly string[]>;
  /** Points HEAD at `refs/heads/<branch>`, which need not exist. */
  setDefaultBranch(repository: string, branch: string): Promise<void>;

  /**
   * The commit that user text (a branch, a tag, an oid of 4 to 40 digits, `HEAD`, a full name) means; a branch wins
   * over a tag of the same name, and what begins with `refs/` is that ref and no other.
   * Undefined for text that names none, is ambiguous or is no legal ref name; git never sees the latter.
   */
  resolveCommit(repository: string, revision: string): Promise<Oid | undefined>;
  /** Whether the branch or tag name is one git allows, and starts with neither `-` nor `refs/`. */
  isLegalName(kind: 'branch' | 'tag', name: string): boolean;
  /** Refs below `refs/heads/`, `refs/tags/` or all that clients may push, by name. */
  refs(repository: string, kind: 'branches' | 'tags' | 'all'): Promise<readonly Ref[]>;
  /** The same without looking at the objects: what is asked often, of however many refs. */
  refList(repository: string, kind: 'branches' | 'tags' | 'all'): Promise<RefList>;
  /** Present values of the named refs; `zeroOid` for one that is absent. In the order asked. */
  readRefs(repository: string, names: readonly string[]): Promise<readonly Oid[]>;
  /** What stands behind the oids of refs; those of no object are left out. */
  tips(repository: string, oids: readonly Oid[]): Promise<ReadonlyMap<Oid, Tip>>;
  /**
   * How far each head, a commit, stands from `base`: at most one process for all of them, none for what was asked
   * before.
   */
  divergence(
    repository: string,
    base: Oid,
    heads: readonly Oid[],
    signal?: AbortSignal,
  ): Promise<ReadonlyMap<Oid, Divergence>>;
  /**
   * Moves all of the refs or none, each only from its old value; on disk when it resolves to `moved`. A rejection may
   * leave them moved.
   */
  moveRefs(repository: string, updates: readonly RefUpdate[]): Promise<Moving>;
  /** Writes the object of an annotated tag; no ref names it yet. */
  writeTag(repository: string, tag: NewTag): Promise<Oid>;
  /**
   * Points a ref of `repository` to a commit of another one, or of its own, and brings what the commit leads to and
   * the repository lacks: checked and judged as a push is, with no alternates, on disk when it resolves to `kept`. The
   * commit is the repository's own from then on, whatever becomes of the other. The ref is moved from where it stood
   * when this began.
   * @throws {NotFound} where one of the two repositories, or the commit in its own, is not there, or goes meanwhile;
   * {Unprocessable} for what no push could bring; {Unavailable} past its deadline.
   */
  keepCommit(repository: string, kept: CommitToKeep, hooks: KeepHooks): Promise<Keeping>;

  /**
   * What stands at a path of a commit; the root for ''. Undefined where nothing does. `..`, empty and `.git` segments
   * name nothing.
   */
  entry(repository: string, commit: Oid, path: string): Promise<TreeEntry | undefined>;
  /** Entries of a tree with their sizes. */
  tree(repository: string, tree: Oid): Promise<TreeListing>;
  /**
   * The last commit that changed each entry of a folder that a listing tells, exact as `git log -1 -- path` is. An
   * entry is missing where the walk passed its deadline (30 s by default); it goes on, and a later call has it.
   */
  lastCommits(
    repository: string,
    commit: Oid,
    path: string,
    signal?: AbortSignal,
  ): Promise<ReadonlyMap<string, LastCommit>>;
  blob(repository: string, oid: Oid, signal?: AbortSignal): Promise<Blob>;

  /** A commit as it was written. Undefined where the oid is of none. */
  commitRecord(repository: string, commit: Oid): Promise<CommitRecord | undefined>;
  /**
   * Commits that `tip` leads to, in the order of `git log`. @throws {Unavailable} past its deadline (10 s by default).
   */
  history(repository: string, query: HistoryQuery, signal?: AbortSignal): Promise<readonly CommitRecord[]>;
  /**
   * What changes from one commit to another, renames found; from nothing where `from` is undefined. @throws
   * {Unavailable} past its deadline.
   */
  difference(repository: string, from: Oid | undefined, to: Oid, signal?: AbortSignal): Promise<Difference>;
  /**
   * The same to be read, exactly as `git diff -M` has it, whatever configuration or attributes say. @throws
   * {Unprocessable} where it takes more time or memory than one answer may.
   */
  patch(repository: string, query: PatchQuery, caps: DiffCaps, signal?: AbortSignal): Promise<Patch>;
  /** The best commit that both lead to. Undefined where there is none. @throws {Unavailable} past its deadline. */
  mergeBase(repository: string, one: Oid, other: Oid, signal?: AbortSignal): Promise<Oid | undefined>;
  /**
   * Which commit each line of a file comes from. Undefined where git finds no file at the path. @throws {Unavailable}
   * past its deadline.
   */
  blame(
    repository: string,
    commit: Oid,
    path: string,
    signal?: AbortSignal,
  ): Promise<readonly BlamedLine[] | undefined>;
  /**
   * The tree of a commit as `git archive` packs it, every path below `prefix`; `export-subst` substitutes nothing.
   */
  archive(
    repository: string,
    commit: Oid,
    options: { readonly format: ArchiveFormat; readonly prefix: string },
    signal?: AbortSignal,
  ): Promise<AsyncIterable<Uint8Array>>;
  /**
   * Bytes of a commit's files (at most the first 250,000) summed by what `group` says of their path; '' is not counted.
   */
  sizes(
    repository: string,
    commit: Oid,
    group: (path: string) => string,
    signal?: AbortSignal,
  ): Promise<ReadonlyMap<string, number>>;
  /**
   * Makes a commit of one changed file and pushes it as a client would: checked, judged, told of. An acknowledged write
   * is on disk.
   */
  write(repository: string, change: FileWrite, hooks: PushHooks): Promise<WriteOutcome>;

  /**
   * Whether git merges two commits by itself, with nothing left behind; no process for what was asked before. @throws
   * {Conflict} where more commits than `mostRebased` would be rebased; {Unavailable} past its deadline.
   */
  tryMerge(repository: string, trial: MergeTrial, signal?: AbortSignal): Promise<MergeCheck>;
  /**
   * Merges and pushes the outcome as a client would: checked, judged, told of. An acknowledged merge is on disk; of any
   * other nothing is left.
   * @throws {Conflict} as `tryMerge`; {TimedOut} past its deadline (60 s by default).
   */
  merge(repository: string, change: MergeWrite, hooks: PushHooks): Promise<MergeOutcome>;

  /** The ref advertisement of smart HTTP, with its service header. */
  advertise(
    repository: string,
    request: { readonly service: GitService; readonly protocol: string | undefined; readonly signal: AbortSignal },
  ): Promise<AsyncIterable<Uint8Array>>;
  /** `POST /git-upload-pack`. */
  uploadPack(repository: string, request: ServeRequest): Promise<AsyncIterable<Uint8Array>>;
  /** `POST /git-receive-pack`. An acknowledged push is on disk. */
  receivePack(repository: string, request: ReceiveRequest): Promise<PushAnswer>;
  /**
   * After a push: commit-graph with changed paths, packed refs, the root listing of the default branch warmed. Never
   * rejects for a broken repository.
   */
  maintain(repository: string): Promise<void>;
  /** Bytes that its objects take on disk; 0 where it is gone. */
  size(repository: string): Promise<number>;
  /**
   * Removes objects that no ref leads to, hidden ones counted, and that were written before `before`. Younger ones stay
   * with what they lead to; `remaining` says whether there are any. Pushes and reads go on meanwhile. What this process
   * has cached of the repository is forgotten; another that shares the directory may answer from its memory until it
   * forgets.
   * @throws {Unavailable} past its deadline, or where a ref was made of what was to go; then nothing is lost.
   */
  prune(
    repository: string,
    options: { readonly before: Date; readonly signal?: AbortSignal },
  ): Promise<{ readonly remaining: boolean }>;
  /**
   * Removes what a killed process left: stale locks, temporary objects, half-removed repositories. Called at boot,
   * before anything is served.
   */
  sweep(): Promise<void>;
}

declare module '#core/kernel/ports' {
  interface Ports {
    GitBackend: GitBackend;
  }
}

declarePort('GitBackend', { arity: 'single', component: 'git back end', critical: true, absent: 'refuse' });
