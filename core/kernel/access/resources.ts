// Maps operating system errors about exhausted resources (errno) to typed errors with a message and a remedy.
import { HexforgeError, InsufficientStorage, Unavailable } from '../errors.ts';

const free = 'Ask the administrator to free space on it';

/** Error builders by errno. `place` names the data on the disk. */
const spent: Readonly<Record<string, (place: string, cause: unknown) => HexforgeError>> = {
  ENOSPC: (place, cause) => new InsufficientStorage(`The disk that holds ${place} is full`, { detail: free, cause }),
  EDQUOT: (place, cause) =>
    new InsufficientStorage(`The disk quota for ${place} is used up`, {
      detail: 'Ask the administrator to raise the quota of the user that runs Hexforge',
      cause,
    }),
  EROFS: (place, cause) =>
    new Unavailable(`The disk that holds ${place} is read-only`, {
      detail: 'Ask the administrator to look at its file system',
      cause,
    }),
  EIO: (place, cause) =>
    new Unavailable(`The disk that holds ${place} fails`, {
      detail: 'Ask the administrator to look at the log of the machine',
      cause,
    }),
  EMFILE: (_place, cause) =>
    new Unavailable('The server has as many files open as it may', {
      detail: 'Try again later; the administrator can raise the limit (ulimit -n)',
      cause,
    }),
  ENFILE: (_place, cause) =>
    new Unavailable('The machine has as many files open as it can', {
      detail: 'Try again later; the administrator can raise the limit (sysctl fs.file-max)',
      cause,
    }),
  EAGAIN: (_place, cause) =>
    new Unavailable('The server runs as many processes as it may', {
      detail: 'Try again later; the administrator can raise the limit (ulimit -u)',
      cause,
    }),
  ENOMEM: (_place, cause) => new Unavailable('The machine has no memory left', { detail: 'Try again later', cause }),
};

/**
 * The typed error of an errno; undefined if it is not about an exhausted resource. @param place names the data on the
 * disk.
 */
export const exhaustedBy = (errno: string, place: string, cause: unknown): HexforgeError | undefined =>
  Object.hasOwn(spent, errno) ? spent[errno]?.(place, cause) : undefined;

/** Texts of strerror(3), matched only at the end of a sentence, where no user-chosen name can appear. */
const words: Readonly<Record<string, string>> = {
  'No space left on device': 'ENOSPC',
  'Disk quota exceeded': 'EDQUOT',
  'Read-only file system': 'EROFS',
  'Input/output error': 'EIO',
  'Too many open files in system': 'ENFILE',
  'Too many open files': 'EMFILE',
  'Resource temporarily unavailable': 'EAGAIN',
  'Cannot allocate memory': 'ENOMEM',
};
const strerror =
  /: (No space left on device|Disk quota exceeded|Read-only file system|Input\/output error|Too many open files in system|Too many open files|Resource temporarily unavailable|Cannot allocate memory)\)?(?:[;\n]|$)/;
const outOfMemory = /(?:^|: |[;\n] ?)Out of memory, (?:malloc|realloc|calloc|getdelim) failed/;

/** The errno named in the output of a program; undefined if it names no exhausted resource. */
export const errnoIn = (text: string): string | undefined =>
  words[strerror.exec(text)?.[1] ?? ''] ?? (outOfMemory.test(text) ? 'ENOMEM' : undefined);

/**
 * Returns a typed error if `error` or one of its causes reports an exhausted resource; undefined for other errors and
 * for errors that are already typed.
 * @param place names the data on the disk, such as "the repositories".
 */
export function exhaustedResource(error: unknown, place: string): HexforgeError | undefined {
  let current = error;
  // A chain of causes may contain a cycle.
  for (let depth = 0; depth < deepest && isFault(current); depth += 1) {
    const { code } = current as { readonly code?: unknown };
    const typed = typeof code === 'string' ? exhaustedBy(code, place, error) : undefined;
    if (typed !== undefined) return typed;
    current = current.cause;
  }
  return undefined;
}

const deepest = 16;
const isFault = (error: unknown): error is Error =>
  error instanceof Error && !(error instanceof HexforgeError && error.kind !== 'internal');
