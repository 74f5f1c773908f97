// Temporary files for packs and archives that are sent. Each is removed from its folder once it is open, so nothing is
// left when the process is killed.
import { closeSync, fstatSync, mkdirSync, openSync, read, rmSync } from 'node:fs';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Unavailable } from '#core/kernel/errors';

const folderName = '.spool';
const readAsync = promisify(read);
/** Bytes read at once. */
const stretch = 128 * 1024;

/** An open file without a name. Descriptors are shared by all threads of a process. */
export interface Spooled {
  readonly fd: number;
  readonly bytes: number;
}

export const spoolOf = (root: string): string => join(root, folderName);

/** Writes a temporary file. Synchronous: for worker threads alone. */
export function spooled<T>(folder: string, write: (fd: number) => T): Spooled & { readonly result: T } {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, randomUUID());
  const fd = openSync(path, 'wx+', 0o600);
  try {
    rmSync(path);
    const result = write(fd);
    return { fd, bytes: fstatSync(fd).size, result };
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

export const release = ({ fd }: Spooled): void => closeSync(fd);

/**
 * The bytes of a temporary file. It is closed at their end, when the reader stops or reads nothing for `idleSeconds`,
 * and when the signal is aborted.
 */
export function spooledBytes(
  { fd, bytes }: Spooled,
  { signal, idleSeconds }: { readonly signal: AbortSignal | undefined; readonly idleSeconds: number },
): AsyncIterableIterator<Uint8Array> {
  let [at, isOpen, isReading, isLate]: [number, boolean, boolean, boolean] = [0, true, false, false];
  let timer: NodeJS.Timeout | undefined;
  const close = (): void => {
    clearTimeout(timer);
    signal?.removeEventListener('abort', close);
    if (!isOpen) return;
    isOpen = false;
    // A descriptor must not be closed while it is read: its number could be given to another file.
    if (!isReading) closeSync(fd);
  };
  const wait = (): void => {
    timer = setTimeout(() => {
      isLate = true;
      close();
    }, idleSeconds * 1000).unref();
  };
  signal?.addEventListener('abort', close, { once: true });
  if (signal?.aborted === true) close();
  else wait();
  const end = { done: true, value: undefined } as const;
  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    async next() {
      signal?.throwIfAborted();
      if (isLate) throw new Unavailable('The answer was given up: its reader was too slow');
      if (at === bytes) close();
      if (!isOpen) return end;
      clearTimeout(timer);
      const chunk = Buffer.allocUnsafe(Math.min(stretch, bytes - at));
      isReading = true;
      try {
        const { bytesRead } = await readAsync(fd, chunk, 0, chunk.length, at);
        at += bytesRead;
        return { done: false, value: chunk.subarray(0, bytesRead) };
      } finally {
        isReading = false;
        if (!isOpen) closeSync(fd);
        else if (at === bytes) close();
        else wait();
      }
    },
    async return() {
      close();
      return end;
    },
  };
}
