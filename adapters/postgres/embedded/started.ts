// Starts the embedded database: the lock of its folder, its files, and the thread that runs it.
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Log } from '#core/kernel/services/log';
import { StorageRefused } from '../statements/errors.ts';
import { ensureCluster } from './cluster.ts';
import { lockDirectory } from './data-lock.ts';
import { databaseFreeBytes, freeBytes, inMebibytes, space } from './free-space.ts';
import { SupervisedThread } from './supervisor.ts';

export interface StartedDatabase {
  /** Its folder. */
  readonly path: string;
  /** Opens the database; the first statement waits for that, and fails if opening fails. */
  readonly supervised: SupervisedThread;
  /** Releases the folder's lock, once the thread has ended. */
  unlock(): void;
}

const folderIn = (directory: string): string => join(directory, 'database');

/** Whether the data directory contains a database. */
export const hasDatabase = (directory: string): boolean => isDatabase(folderIn(directory));

const isDatabase = (path: string): boolean => existsSync(join(path, 'PG_VERSION'));

/**
 * Starts the database; creates it if it does not exist. @param directory the data directory. @throws {StorageRefused}
 */
export async function startDatabase(directory: string, log: Log): Promise<StartedDatabase> {
  // PostgreSQL creates some of its files with the permissions of the process's umask, which a thread cannot set.
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

/** @throws {StorageRefused} if there is too little space to start the database. */
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

/** Creates the data directory if it does not exist, and takes the lock of the database in it. */
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
