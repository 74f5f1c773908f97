// Bytes of a folder's files (du).
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ignoreMissing } from './errno.ts';

const atOnce = 64;

/** A file that is removed in the meantime counts as 0, as does a missing folder. */
export async function bytesIn(folder: string): Promise<number> {
  const found = (await readdir(folder, { recursive: true, withFileTypes: true }).catch(ignoreMissing)) ?? [];
  const files = found.filter((entry) => entry.isFile());
  let bytes = 0;
  for (let at = 0; at < files.length; at += atOnce) {
    const sizes = files
      .slice(at, at + atOnce)
      .map(async ({ parentPath, name }) => (await stat(join(parentPath, name)).catch(ignoreMissing))?.size ?? 0);
    bytes += (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
  }
  return bytes;
}
