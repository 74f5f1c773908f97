// Types of the port `GitBackend` for comparing the files of two commits.
import type { Oid } from './git-objects.ts';

/** A regular file that differs between two commits. Links and submodules count as missing. */
export interface TreeChange {
  readonly path: string;
  /** The old blob; undefined if there was no file. */
  readonly old: Oid | undefined;
  /** The new blob; undefined if there is no file. */
  readonly new: Oid | undefined;
}

/** A part of a list of changes. */
export interface TreeChangeSlice {
  /** Only files whose path follows this one in the order of bytes. */
  readonly after?: string | undefined;
  /** The most changes that are returned. */
  readonly limit: number;
}

/** Changed files in the order of the bytes of their paths. */
export interface TreeChanges {
  /** Without paths that are not UTF-8 or longer than `longest.path`. */
  readonly changes: readonly TreeChange[];
  /** Whether there are more. */
  readonly more: boolean;
}
