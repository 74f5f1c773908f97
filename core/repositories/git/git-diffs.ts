// Types of the port `GitBackend` for readable diffs: each file with its hunks, within limits.
import type { Oid } from './git-objects.ts';

/** The algorithms that match lines; `myers` is the default of git. */
export const diffAlgorithms = ['myers', 'histogram'] as const;
/** The algorithm that finds changed lines. */
export type DiffAlgorithm = (typeof diffAlgorithms)[number];

/** The operator's limits of a diff. */
export interface DiffCaps {
  /** The most bytes of one file's diff, or of a binary file. */
  readonly maxFileBytes: number;
  /** The most bytes of all files together. */
  readonly maxTotalBytes: number;
  /** The most lines of one file's diff. */
  readonly maxFileLines: number;
  readonly maxFiles: number;
}

/** The limit that was exceeded, as in `diff_suppressed_reason`. */
export type PassedCap = 'diff_too_large' | 'total_size_cap' | 'file_count_cap';

/** The commits, paths and algorithm of a diff. */
export interface PatchQuery {
  readonly from: Oid;
  readonly to: Oid;
  readonly algorithm: DiffAlgorithm;
  /** Only the changes of these literal paths. Default: all changes. */
  readonly paths?: readonly string[] | undefined;
}

/** A part of a diff that begins with `diff --git`, as git prints it. */
export interface PatchSection {
  /** The lines before the first hunk. */
  readonly header: string;
  /** Bytes that are not UTF-8 are replaced by U+FFFD. */
  readonly hunks: string;
  /** A `GIT binary patch`, which replaces the hunks if they cannot be applied as text. */
  readonly literal?: string;
}

/** The changes of one file. */
export interface PatchedFile {
  /** Equal to `newPath` for an added or deleted file. Bytes that are not UTF-8 are replaced by U+FFFD. */
  readonly oldPath: string;
  readonly newPath: string;
  /** As git prints it; `000000` if there is no file. */
  readonly oldMode: string;
  readonly newMode: string;
  readonly isBinary: boolean;
  readonly isAdd: boolean;
  readonly isDelete: boolean;
  readonly isRename: boolean;
  readonly additions: number;
  readonly deletions: number;
  /**
   * One section. Two if the type of the file changed, such as to a symbolic link, because git deletes and adds it.
   * Empty if the sections are left out.
   */
  readonly sections: readonly PatchSection[];
  /** Why the sections are left out. */
  readonly omitted?: PassedCap;
}

/** The changes between two commits, as a readable diff. */
export interface Patch {
  /** In git's order, at most the first 20,000. Files whose path is longer than `longest.path` are left out. */
  readonly files: readonly PatchedFile[];
  /** Of all files, including those left out. */
  readonly additions: number;
  readonly deletions: number;
  /** Why the whole diff cannot be shown as one text. */
  readonly omitted?: PassedCap;
}
