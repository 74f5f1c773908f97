// Counts the objects in the packs of a repository, without a git process.
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ignoreMissing } from '#adapters/git-common/files/errno';
import type { RepositoryLocation } from './repositories.ts';

/** Bytes of the index of a pack (gitformat-pack(5), version 2): for each object, and in total beside these. */
const [objectBytes, otherBytes] = [28, 1072];

/** An object that is in several packs counts several times. */
export async function packedObjects({ directory }: RepositoryLocation): Promise<number> {
  const packs = join(directory, 'objects', 'pack');
  const indexes = ((await readdir(packs).catch(ignoreMissing)) ?? []).filter((name) => name.endsWith('.idx'));
  const sizes = await Promise.all(indexes.map((name) => stat(join(packs, name)).catch(ignoreMissing)));
  const bytes = sizes.reduce((sum, found) => sum + Math.max(0, (found?.size ?? 0) - otherBytes), 0);
  return bytes / objectBytes;
}
