// Slots for clones of large repositories: git keeps a list of every object that it may send, so few of them run at the
// same time and the others are queued.
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Limiter } from '../process/limiter.ts';
import { ignoreMissing } from '../files/errno.ts';
import type { RepositoryLocation } from '../storage/repositories.ts';

/** The number of packed objects from which a repository is large. git takes some 250 bytes for each. */
const largeFrom = 200_000;
/** Bytes per object in the index of a pack (gitformat-pack(5)). */
const indexBytes = 28;

export class LargeTransfers {
  readonly #limiter: Limiter;

  constructor(limiter: Limiter) {
    this.#limiter = limiter;
  }

  /**
   * Waits for a slot if the repository is large.
   * @returns a function that releases it.
   */
  async acquire(location: RepositoryLocation, signal: AbortSignal): Promise<() => void> {
    return (await packedObjects(location)) < largeFrom ? () => undefined : await this.#limiter.acquire(signal);
  }
}

async function packedObjects({ directory }: RepositoryLocation): Promise<number> {
  const packs = join(directory, 'objects', 'pack');
  const indexes = ((await readdir(packs).catch(ignoreMissing)) ?? []).filter((name) => name.endsWith('.idx'));
  const sizes = await Promise.all(indexes.map((name) => stat(join(packs, name)).catch(ignoreMissing)));
  return sizes.reduce((count, found) => count + (found?.size ?? 0), 0) / indexBytes;
}
