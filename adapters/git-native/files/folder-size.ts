// Bytes of a folder's files (du).
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ignoreMissing } from '#adapters/git-common/files/errno';
import { fewFiles } from '#adapters/git-common/files/few-files';

/** A file that is removed in the meantime counts as 0, as does a missing folder. */
export async function bytesIn(folder: string): Promise<number> {
  const found = (await readdir(folder, { recursive: true, withFileTypes: true }).catch(ignoreMissing)) ?? [];
  const files = found.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  const sizes = await fewFiles(files, async (file) => (await stat(file).catch(ignoreMissing))?.size ?? 0, 64);
  return sizes.reduce((sum, size) => sum + size, 0);
}
