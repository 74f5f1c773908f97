// Crash-safe file writes (fsync): after a loss of power there is either the old file or the new one, for files are
// synced before their folder is.
import { constants } from 'node:fs';
import { open, readdir, rename, rm, type FileHandle } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { errnoOf, ignoreMissing } from './errno.ts';
import { fewFiles } from './few-files.ts';

/** How often, and milliseconds between, a descriptor is asked for where there is none: what it is for has happened. */
const descriptor = { attempts: 40, pause: 50 } as const;

async function openFolder(folder: string): Promise<FileHandle> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await open(folder, constants.O_RDONLY | constants.O_DIRECTORY);
    } catch (error) {
      if (!['EMFILE', 'ENFILE'].includes(errnoOf(error)) || attempt === descriptor.attempts) throw error;
      await pause(descriptor.pause);
    }
  }
}

/** The names in a folder reach the disk. A folder that is gone has nothing to keep. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await openFolder(folder).catch(ignoreMissing);
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
  await fewFiles([...folders], (folder) => syncFolder(join(directory, folder)));
}

/** The same for every ref that has a file. */
export async function syncAllRefs(directory: string, more: readonly string[]): Promise<void> {
  const found = await readdir(join(directory, 'refs'), { recursive: true, withFileTypes: true });
  const refs = found.map(({ parentPath, name }) => relative(directory, join(parentPath, name)));
  await syncRefs(directory, refs, more);
}

/**
 * Writes a file that must not exist, on disk when it resolves but for its name in the folder; where it fails, as on a
 * full disk, there is none. @throws EEXIST
 */
export async function writeSynced(path: string, text: string, mode = 0o600): Promise<void> {
  const handle = await open(path, 'wx', mode);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } catch (error) {
    await rm(path, { force: true });
    throw error;
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
  try {
    await rename(`${path}.lock`, path);
  } catch (error) {
    await rm(`${path}.lock`, { force: true });
    throw error;
  }
  await syncFolder(dirname(path));
}
