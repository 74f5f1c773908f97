// What an operating system runs out of (errno), as typed errors: each resource has its sentence and its remedy, once.
import { HexforgeError, InsufficientStorage, Unavailable } from './errors.ts';

const free = 'Ask the administrator to free space on it';

/** By errno; `place` is what lies on the disk. */
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

/** The typed error of an errno; undefined where it names no spent resource. @param place what lies on the disk. */
export const spentBy = (errno: string, place: string, cause: unknown): HexforgeError | undefined =>
  Object.hasOwn(spent, errno) ? spent[errno]?.(place, cause) : undefined;

/** strerror(3), as programs print it: at the end of a sentence, where no name of a user's can stand. */
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

/** The errno that a program named in what it wrote; undefined where it named none of a spent resource. */
export const errnoIn = (text: string): string | undefined =>
  words[strerror.exec(text)?.[1] ?? ''] ?? (outOfMemory.test(text) ? 'ENOMEM' : undefined);

/**
 * A typed error where `error`, or what caused it, says that a resource is spent; undefined for every other, and for
 * what is typed already.
 * @param place "the repositories": what lies on the disk.
 */
export function spentResource(error: unknown, place: string): HexforgeError | undefined {
  let current = error;
  // A chain of causes may come back to itself.
  for (let depth = 0; depth < deepest && isFault(current); depth += 1) {
    const { code } = current as { readonly code?: unknown };
    const typed = typeof code === 'string' ? spentBy(code, place, error) : undefined;
    if (typed !== undefined) return typed;
    current = current.cause;
  }
  return undefined;
}

const deepest = 16;
const isFault = (error: unknown): error is Error =>
  error instanceof Error && !(error instanceof HexforgeError && error.kind !== 'internal');
