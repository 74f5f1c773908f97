// A file lock that keeps a second process out of an embedded database: PGlite itself has no lock, and two processes
// corrupt the database silently.
import { closeSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { DatabaseSync } from 'node:sqlite';
import { StorageRefused } from '../statements/errors.ts';

/** SQLITE_BUSY: another process has the lock. */
const busy = 5;

/**
 * Takes the lock of `directory`, or throws naming the process that has it. The kernel releases it when the process
 * ends, even after a crash.
 * @returns a function that releases the lock.
 */
export function lockDirectory(directory: string): () => void {
  const path = `${directory}.lock`;
  const holder = `${directory}.owner.json`;
  createPrivately(path);
  const lock = new DatabaseSync(path, { timeout: 500 });
  try {
    lock.exec('pragma journal_mode = memory; begin exclusive');
  } catch (error) {
    lock.close();
    if ((error as { readonly errcode?: number }).errcode !== busy)
      throw new StorageRefused(
        `The lock file "${path}" cannot be used: ${String(error)}`,
        'Remove the file while no Hexforge runs on this data directory',
        error,
      );
    throw new StorageRefused(
      `The database in "${directory}" is in use by ${whoHolds(holder)}`,
      'Stop that process first, or choose another data directory (HEXFORGE_DATA_DIR)',
      error,
    );
  }
  // The lock does not contain a process id, so the holder writes one to a separate file.
  rmSync(holder, { force: true });
  writeFileSync(holder, `${JSON.stringify({ pid: process.pid, host: hostname() })}\n`, { mode: 0o600 });
  return () => {
    rmSync(holder, { force: true });
    lock.close();
  };
}

/**
 * Only creates a missing file: closing any descriptor of a locked file would drop this process's lock on it (POSIX).
 */
function createPrivately(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

function whoHolds(path: string): string {
  try {
    const { pid, host } = JSON.parse(readFileSync(path, 'utf8')) as { readonly pid: unknown; readonly host: unknown };
    return `process ${Number(pid)} on host "${String(host)}"`;
  } catch {
    return 'another process';
  }
}
