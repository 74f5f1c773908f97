// Types of the port `GitBackend` for history: commits, their changes, blamed lines, and the change of a file.
import type { Oid } from './git-objects.ts';
import type { ReceiveRequest } from './git-transport.ts';

/**
 * Texts are those that `git log` prints, decoded by the `encoding` of the commit and without `.mailmap`, and clipped:
 * clipping.ts.
 */
export interface Signature {
  readonly name: string;
  readonly email: string;
  /** From 1970 to 9999. Dates outside are moved to the nearer limit. */
  readonly date: Date;
  /** Only of commits to be made: the offset from UTC that is stored beside the date, as `+0530`. Default: `+0000`. */
  readonly offset?: string | undefined;
}

/** The message, signatures and parents of a commit. */
export interface CommitRecord {
  readonly oid: Oid;
  /** Without newlines at the start and end; clipped. */
  readonly message: string;
  readonly author: Signature;
  readonly committer: Signature;
  readonly parents: readonly Oid[];
}

/** Filters of a list of commits. */
export interface HistoryQuery {
  readonly tip: Oid;
  /** Commits that are reachable from this one are left out. */
  readonly except?: Oid | undefined;
  /** Only commits that changed this path, as `git log -- path` finds them. */
  readonly path?: string | undefined;
  /** Matched literally against `Name <email>` of the author. Must contain no control character. */
  readonly author?: string | undefined;
  /** Compared with the committer's date; both limits are inclusive. */
  readonly since?: Date | undefined;
  readonly until?: Date | undefined;
  readonly skip: number;
  readonly limit: number;
}

/** The changes of one file. */
export interface FileChange {
  /** The current path; for a removed file, its old path. */
  readonly path: string;
  readonly previousPath?: string;
  readonly status: 'added' | 'modified' | 'removed' | 'renamed';
  readonly additions: number;
  readonly deletions: number;
  readonly isBinary: boolean;
  /**
   * Its hunks as `git diff` prints them. Absent if there are no hunks, and if the limit of one file or of all files is
   * exceeded.
   */
  readonly patch?: string;
}

/** The changes between two commits. */
export interface Difference {
  /** At most the first 3000, in git's order. Files whose path is longer than `longest.path` are left out. */
  readonly files: readonly FileChange[];
  /** Whether files were left out. */
  readonly truncated: boolean;
  /** Of all files, including those left out. */
  readonly additions: number;
  readonly deletions: number;
}

/** A line of a file and the commit it comes from. */
export interface BlamedLine {
  /** Without its newline. */
  readonly content: string;
  readonly oid: Oid;
  readonly author: Signature;
}

/** The formats of an archive. */
export type ArchiveFormat = 'tar.gz' | 'zip';

/** One file of a branch to be written or removed, as one commit on top of its tip. */
export interface FileWrite {
  /** Full: `refs/heads/main`. */
  readonly ref: string;
  /** The parent of the commit; `zeroOid` for the first commit of a history. */
  readonly parent: Oid;
  /** The current tip of the branch; `zeroOid` for a new branch. Default: the parent. */
  readonly old?: Oid;
  /** All parent folders of the path must be folders, or must not exist. */
  readonly path: string;
  /** Undefined: the file is removed, together with folders that become empty. */
  readonly file: { readonly content: Uint8Array; readonly mode: '100644' | '100755' } | undefined;
  readonly message: string;
  readonly author: Signature;
  readonly committer: Signature;
}

/** The parts of a push other than its bytes. */
export type PushHooks = Pick<ReceiveRequest, 'announced' | 'judge' | 'landed' | 'signal'>;

/** The result of writing or removing a file. */
export interface WriteOutcome {
  readonly commit: CommitRecord;
  /** The blob of a written file. */
  readonly blob: Oid | undefined;
  /** git's message if the branch did not move; undefined if it moved. */
  readonly refusal: string | undefined;
}
