// The state of the files of a repository in an index, which is stored with them.
import type { Oid } from '#core/repositories/index';

/** Increased whenever the index stores other things of the same file: then every file is read again. */
const version = 1;

/** Which commit an index has of a repository. */
export interface FileState {
  /** The tip of the default branch; undefined if it has no commit. */
  readonly tip: Oid | undefined;
  /**
   * Set while files are compared one by one with the tip: all up to this path are done. Some after it may be of this
   * commit, others of an earlier one.
   */
  readonly after?: string | undefined;
  /** Whether the comparison reads and stores every file again. */
  readonly forced?: boolean;
  /** Whether the repository has more than the index takes, so that none of its files is stored. */
  readonly tooLarge?: boolean;
}

export const fileStateText = (state: FileState): string => JSON.stringify({ version, ...state });

/** Undefined for a state of another version, and for the empty one of a source whose first write was interrupted. */
export function readFileState(text: string | undefined): FileState | undefined {
  if (text === undefined || text === '') return undefined;
  const state = JSON.parse(text) as FileState & { readonly version: number };
  return state.version === version ? state : undefined;
}
