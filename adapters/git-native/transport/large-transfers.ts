// Slots for clones of large repositories: git keeps a list of every object that it may send, so few of them run at the
// same time and the others are queued.
import type { Limiter } from '../process/limiter.ts';
import { packedObjects } from '../storage/packed-objects.ts';
import type { RepositoryLocation } from '../storage/repositories.ts';

/** The number of packed objects from which a repository is large. git takes some 250 bytes for each. */
const largeFrom = 200_000;

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
