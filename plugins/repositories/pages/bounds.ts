// Bounds of pages, so that no file, folder or commit makes a page that is slow to write or to read.
export const most = {
  /** Bytes of a file that is shown. */
  bytes: 512 * 1024,
  /** Lines of a file. */
  lines: 10_000,
  /** Entries of a folder. */
  entries: 1000,
  /** Files of a commit. */
  files: 500,
  /** Lines of all patches of a commit. */
  patchLines: 5000,
} as const;
