// The embedded database from its start on: the lock of its folder, its files, and the thread that runs it.
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Log } from '#core/kernel/log';
import { StorageRefused } from '../errors.ts';
import { ensureCluster } from './cluster.ts';
import { lockDirectory } from './data-lock.ts';
import { databaseFreeBytes, freeBytes, inMebibytes, space } from './free-space.ts';
import { SupervisedThread } from './supervisor.ts';

export interface StartedDatabase {
  /** Its folder. */
  readonly path: string;
  /** Opens it; the first statement waits for that, and is told why it failed. */
  readonly supervised: SupervisedThread;
  /** Lets go of the folder, once the thread has ended. */
  unlock(): void;
}

const folderIn = (directory: string): string => join(directory, 'database');

/** Whether there is one in the data directory. */
export const hasDatabase = (directory: string): boolean => isDatabase(folderIn(directory));

const isDatabase = (path: string): boolean => existsSync(join(path, 'PG_VERSION'));

/** Makes it where there is none. @param directory the data directory. @throws {StorageRefused} */
export async function startDatabase(directory: string, log: Log): Promise<StartedDatabase> {
  // PostgreSQL makes some of its files with the permissions the process leaves it, and a thread cannot set them for
  // itself.
  process.umask(0o077);
  const path = folderIn(directory);
  const unlock = await entered(directory, path);
  try {
    await ensureCluster(path);
    return { path, supervised: new SupervisedThread({ directory: path, log }), unlock };
  } catch (error) {
    unlock();
    throw notOpened(path, error);
  }
}

export const notOpened = (path: string, error: unknown): StorageRefused =>
  error instanceof StorageRefused
    ? error
    : new StorageRefused(
        `The database in "${path}" cannot be opened: ${reasonOf(error)}`,
        'Restore it from a backup; if none helps, move the folder away to start anew',
        error,
      );

/** @throws {StorageRefused} where the database would fail for want of space before it serves anybody. */
function demandSpace(directory: string, path: string): void {
  const there = isDatabase(path);
  const needed = there ? space.open : space.create;
  const free = there ? databaseFreeBytes(path) : freeBytes(directory);
  if (free >= needed) return;
  throw new StorageRefused(
    `The disk of the data directory "${directory}" is full: ${inMebibytes(free)} MiB are free and the embedded database needs ${inMebibytes(needed)} MiB to start`,
    'Free space on it, or choose another data directory (HEXFORGE_DATA_DIR)',
  );
}

/** Makes the data directory where it is missing, and takes the lock of the database in it. */
async function entered(directory: string, path: string): Promise<() => void> {
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    demandSpace(directory, path);
    return lockDirectory(path);
  } catch (error) {
    if (error instanceof StorageRefused) throw error;
    throw new StorageRefused(
      `The data directory "${directory}" cannot be written: ${reasonOf(error)}`,
      'Give the user that runs Hexforge the right to write there, or choose another one (HEXFORGE_DATA_DIR)',
      error,
    );
  }
}

function reasonOf(error: unknown): string {
  const { message, cause } = error instanceof Error ? error : new Error(String(error));
  return cause instanceof Error ? cause.message : message;
}
