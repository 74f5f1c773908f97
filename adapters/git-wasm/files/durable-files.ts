// File writes that survive a power loss: a file is synced before its name, and a name is synced with its folder.
import { constants } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ignoreMissing } from './errno.ts';

/** Syncs the names in a folder to disk. A missing folder is ignored. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, constants.O_RDONLY | constants.O_DIRECTORY).catch(ignoreMissing);
  if (handle === undefined) return;
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Syncs the folders of these refs, up to the repository. */
export async function syncRefFolders(directory: string, refs: readonly string[]): Promise<void> {
  const folders = new Set(['.']);
  for (const ref of refs) for (let folder = dirname(ref); folder !== '.'; folder = dirname(folder)) folders.add(folder);
  await Promise.all([...folders].map((folder) => syncFolder(join(directory, folder))));
}

/**
 * Creates a file and syncs its content, but not its name. If it fails, the file does not exist.
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

/** Removes a file, or a folder with its contents. */
export const removeAll = (path: string): Promise<void> =>
  rm(path, { recursive: true, force: true, maxRetries: 3, retryDelay: 100 });
