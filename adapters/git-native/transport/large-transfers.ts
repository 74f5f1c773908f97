// Places for clones of large repositories: git holds a list of every object it may send, so that few of them run at a
// time and the others wait.
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Limiter } from '../process/limiter.ts';
import { ignoreMissing } from '../storage/errno.ts';
import type { RepositoryLocation } from '../storage/repositories.ts';

/** Objects in packs from which a repository is large; git takes some 250 bytes for each. */
const largeFrom = 200_000;
/** Of a pack's index (gitformat-pack(5)), an object's share. */
const indexBytes = 28;

export class LargeTransfers {
  readonly #limiter: Limiter;

  constructor(limiter: Limiter) {
    this.#limiter = limiter;
  }

  /** Waits for a place where the repository is large. The function it yields releases it. */
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
