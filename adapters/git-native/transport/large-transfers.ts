// Slots for clones of large repositories: git keeps a list of every object that it may send, so few of them run at the
// same time and the others are queued.
import type { Foundation } from '../foundation.ts';
import { packedObjects } from '../storage/packed-objects.ts';
import type { RepositoryLocation } from '../storage/repositories.ts';

/** The number of packed objects from which a repository is large. git takes some 250 bytes for each. */
const largeFrom = 200_000;

/** Waits for a slot if the repository is large. Returns a function that releases it. */
type LargeTransfer = (location: RepositoryLocation, signal: AbortSignal) => Promise<() => void>;
export type TransferParts = Foundation & { readonly largeTransfer: LargeTransfer };

export function largeTransfers({ limiter, limits }: Foundation): LargeTransfer {
  const large = limiter('clones of large repositories', limits.largeTransfers);
  return async (location, signal) =>
    (await packedObjects(location)) < largeFrom ? () => undefined : await large.acquire(signal);
}
