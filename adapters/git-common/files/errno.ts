// Error codes of the file system (errno), and a handler for files that may be missing.

export const errnoOf = (error: unknown): string => (error as NodeJS.ErrnoException | undefined)?.code ?? '';

/**
 * For `.catch` of an access to a file that may be missing: returns undefined if it is.
 * @throws every other error.
 */
export function ignoreMissing(error: unknown): undefined {
  if (!['ENOENT', 'ENOTDIR', 'EISDIR'].includes(errnoOf(error))) throw error;
  return undefined;
}
