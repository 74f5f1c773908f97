// Crash-safe file writes (fsync): after a power loss either the old or the new file exists, because files are synced
// before their folder.
import { constants } from 'node:fs';
import { open, readdir, rename, rm, type FileHandle } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { errnoOf, ignoreMissing } from './errno.ts';
import { fewFiles } from './few-files.ts';

/**
 * Attempts to open a folder, and milliseconds between them, while no descriptor is free: the change to be synced has
 * already happened.
 */
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

/** Syncs the names in a folder to disk. A missing folder is ignored. */
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
 * Syncs the folders of refs that moved, and those of `more`, so that their names survive a power loss. git syncs only
 * the files that it writes.
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

/** Like `syncRefs`, for every ref that has a file. */
export async function syncAllRefs(directory: string, more: readonly string[]): Promise<void> {
  const found = await readdir(join(directory, 'refs'), { recursive: true, withFileTypes: true });
  const refs = found.map(({ parentPath, name }) => relative(directory, join(parentPath, name)));
  await syncRefs(directory, refs, more);
}

/**
 * Creates a file and syncs its content, but not its name in the folder. If it fails, such as on a full disk, the file
 * does not exist.
 * @throws EEXIST
 */
export async function writeSynced(path: string, content: string | Uint8Array, mode = 0o600): Promise<void> {
  const handle = await open(path, 'wx', mode);
  try {
    await handle.writeFile(content);
    await handle.sync();
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  } finally {
    await handle.close();
  }
}

/**
 * Replaces a file as git does: through `path.lock`, which excludes other writers.
 * @throws EEXIST while another writer holds the lock.
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
