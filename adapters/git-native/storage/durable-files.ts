// Crash-safe file writes (fsync): after a loss of power there is either the old file or the new one, for files are
// synced before their folder is.
import { constants } from 'node:fs';
import { open, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ignoreMissing } from './errno.ts';

/** The names in a folder reach the disk. A folder that is gone has nothing to keep. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, constants.O_RDONLY | constants.O_DIRECTORY).catch(ignoreMissing);
  if (handle === undefined) return;
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * git syncs the files it writes; that the names of refs that moved, and those in the folders of `more`, outlive a loss
 * of power is for us to see to.
 */
export async function syncRefs(
  directory: string,
  refs: readonly string[],
  more: readonly string[] = [],
): Promise<void> {
  const folders = new Set(['.', ...more]);
  for (const ref of refs) for (let folder = dirname(ref); folder !== '.'; folder = dirname(folder)) folders.add(folder);
  await Promise.all([...folders].map((folder) => syncFolder(join(directory, folder))));
}

/** Writes a file that must not exist, on disk when it resolves but for its name in the folder. @throws EEXIST */
export async function writeSynced(path: string, text: string, mode = 0o600): Promise<void> {
  const handle = await open(path, 'wx', mode);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * Replaces a file in the way git does: through `path.lock`, which keeps other writers out. @throws EEXIST while someone
 * holds the lock
 */
export async function replaceUnderLock(path: string, text: string): Promise<void> {
  await writeSynced(`${path}.lock`, text);
  await rename(`${path}.lock`, path);
  await syncFolder(dirname(path));
}
