// What the port `GitBackend` says of a diff that is to be read: each file with its hunks, within caps.
import type { Oid } from './git-objects.ts';

/** How lines are matched; `myers` is git's own default. */
export const diffAlgorithms = ['myers', 'histogram'] as const;
/** How git finds out which lines changed. */
export type DiffAlgorithm = (typeof diffAlgorithms)[number];

/** What of a diff is held and shown; an operator's choice. */
export interface DiffCaps {
  /** Of the text of one file's diff, or of a file that is no text. */
  readonly maxFileBytes: number;
  /** The same of all files together. */
  readonly maxTotalBytes: number;
  /** Lines of one file's diff. */
  readonly maxFileLines: number;
  readonly maxFiles: number;
}

/** Which cap was passed (document B, "Merge request object", `diff_suppressed_reason`). */
export type PassedCap = 'diff_too_large' | 'total_size_cap' | 'file_count_cap';

/** Which diff. */
export interface PatchQuery {
  readonly from: Oid;
  readonly to: Oid;
  readonly algorithm: DiffAlgorithm;
  /** Only what changes at these paths, each as it is written. Default: everything. */
  readonly paths?: readonly string[] | undefined;
}

/** A part of a diff that begins with `diff --git`, as git prints it. */
export interface PatchSection {
  /** Its lines up to the first hunk. */
  readonly header: string;
  /** What is no UTF-8 reads as U+FFFD. */
  readonly hunks: string;
  /** What stands in the place of hunks that could not be applied as text: a `GIT binary patch`. */
  readonly literal?: string;
}

/** What becomes of one file. */
export interface PatchedFile {
  /** The same as `newPath` of one that is added or deleted. Bytes that are not UTF-8 read as U+FFFD. */
  readonly oldPath: string;
  readonly newPath: string;
  /** As git prints them; `000000` where there is no file. */
  readonly oldMode: string;
  readonly newMode: string;
  readonly isBinary: boolean;
  readonly isAdd: boolean;
  readonly isDelete: boolean;
  readonly isRename: boolean;
  readonly additions: number;
  readonly deletions: number;
  /** One; two of a file that became a link or the like: it is deleted and added. None where they are left out. */
  readonly sections: readonly PatchSection[];
  /** Why they are left out. */
  readonly omitted?: PassedCap;
}

/** What changes between two commits, to be read. */
export interface Patch {
  /** In git's order; at most the first 20,000, and none whose path is over `longest.path`. */
  readonly files: readonly PatchedFile[];
  /** Of every file, also of those left out. */
  readonly additions: number;
  readonly deletions: number;
  /** Why the whole cannot be shown as one text. */
  readonly omitted?: PassedCap;
}
