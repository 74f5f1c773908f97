// What the port `GitBackend` says of history: commits, what they change, who wrote which line, and a change that is to
// become a commit.
import type { Oid } from './git-objects.ts';
import type { ReceiveRequest } from './git-transport.ts';

/** Texts are clipped: clipping.ts. */
export interface Signature {
  readonly name: string;
  readonly email: string;
  /** Of 1970 to 9999; what lies outside reads as the nearer end. */
  readonly date: Date;
}

/** A commit as it was written. */
export interface CommitRecord {
  readonly oid: Oid;
  /** Without the newlines around it; clipped. */
  readonly message: string;
  readonly author: Signature;
  readonly committer: Signature;
  readonly parents: readonly Oid[];
}

/** Which commits, from which tip. */
export interface HistoryQuery {
  readonly tip: Oid;
  /** Commits that this one leads to are left out. */
  readonly except?: Oid | undefined;
  /** Only commits that changed it, as `git log -- path` tells them. */
  readonly path?: string | undefined;
  /** Held against `Name <email>` of the author as it is: no expression, and no control character. */
  readonly author?: string | undefined;
  /** By the committer's date, both ends included. */
  readonly since?: Date | undefined;
  readonly until?: Date | undefined;
  readonly skip: number;
  readonly limit: number;
}

/** What changes in one file. */
export interface FileChange {
  /** Where it is now; of a removed one, where it was. */
  readonly path: string;
  readonly previousPath?: string;
  readonly status: 'added' | 'modified' | 'removed' | 'renamed';
  readonly additions: number;
  readonly deletions: number;
  readonly isBinary: boolean;
  /** Its hunks as `git diff` prints them. Absent where there are none, and past the caps of one file and of all. */
  readonly patch?: string;
}

/** What changes between two commits. */
export interface Difference {
  /** At most the first 3000, in git's order; none whose path is over `longest.path`. */
  readonly files: readonly FileChange[];
  /** Whether some are left out. */
  readonly truncated: boolean;
  /** Of every file, also of those left out. */
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

/** One file of a branch written or removed, as one commit on top of its tip. */
export interface FileWrite {
  /** Full: `refs/heads/main`. */
  readonly ref: string;
  /** Where the branch stands; `zeroOid` for one that is to come. */
  readonly parent: Oid;
  /** Nothing on the way to it may be anything but a folder. */
  readonly path: string;
  /** Undefined: the file is removed, and with it folders that hold nothing else. */
  readonly file: { readonly content: Uint8Array; readonly mode: '100644' | '100755' } | undefined;
  readonly message: string;
  readonly author: Signature;
  readonly committer: Signature;
}

/** What a push has beside its bytes. */
export type PushHooks = Pick<ReceiveRequest, 'announced' | 'judge' | 'landed' | 'signal'>;

/** What became of a file that was written or removed. */
export interface WriteOutcome {
  readonly commit: CommitRecord;
  /** Of the file written. */
  readonly blob: Oid | undefined;
  /** Why the branch did not move, in git's words; undefined where it did. */
  readonly refusal: string | undefined;
}
