// The data directory of the embedded database: created atomically, and opened only by the PostgreSQL version that can
// read it.
import { mkdir, readFile, readdir, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { StorageRefused } from '../statements/errors.ts';
import { syncFolder } from './sync-folder.ts';
import { threadModule, threadOptions } from './thread.ts';

/** The major version of PostgreSQL inside the pinned PGlite; it cannot read the files of another one. */
const major = '18';

/** Creates the database in `directory` if it does not exist. The caller must have the lock. */
export async function ensureCluster(directory: string): Promise<void> {
  const version = await readFile(`${directory}/PG_VERSION`, 'utf8').catch(() => undefined);
  if (version === undefined) return createCluster(directory);
  if (version.trim() !== major) {
    throw new StorageRefused(
      `The database in "${directory}" was written by PostgreSQL ${version.trim()} and this version reads PostgreSQL ${major}`,
      'Start the version of Hexforge that wrote it, dump the database there and load the dump here',
    );
  }
}

/** Creates it under another name and renames it when complete, so that a crash leaves no partial database. */
async function createCluster(directory: string): Promise<void> {
  const entries = await readdir(directory).catch(() => []);
  if (entries.length > 0) {
    throw new StorageRefused(
      `The folder "${directory}" is not empty and holds no database`,
      'Move what is in it elsewhere, or choose another data directory (HEXFORGE_DATA_DIR)',
    );
  }
  const unfinished = `${directory}.creating`;
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(unfinished, { recursive: true, mode: 0o700 });
  await new Promise<void>((resolve, reject) => {
    const worker = new Worker(threadModule('create-worker'), {
      ...threadOptions,
      workerData: { directory: unfinished },
    });
    worker.once('error', reject);
    worker.once('exit', (code) => {
      if (code === 0) resolve();
      else reject(new Error(`making the database ended with ${code}`));
    });
  });
  await rename(unfinished, directory);
  syncFolder(dirname(directory));
}
