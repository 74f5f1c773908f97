// Error codes of the file system (errno), and reading what may not exist as undefined.

export const errnoOf = (error: unknown): string => (error as NodeJS.ErrnoException | undefined)?.code ?? '';

const isMissing = (error: unknown): boolean => ['ENOENT', 'ENOTDIR', 'EISDIR'].includes(errnoOf(error));

/** For `.catch` of what may be gone. @throws every other error */
export function ignoreMissing(error: unknown): undefined {
  if (!isMissing(error)) throw error;
  return undefined;
}
