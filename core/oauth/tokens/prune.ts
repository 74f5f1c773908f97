// Deletes expired codes and tokens, grants without any, and clients that were never used.
import { inBatches } from '#core/kernel/storage/batches';
import type { OAuthParts } from '../model/parts.ts';

/** How long a client that registered itself is kept without receiving a token, in days. */
const unusedDays = 30;

/** @returns a function that returns the number of deleted rows. */
export function pruning({ issued, grants, clients, unitOfWork }: OAuthParts) {
  return async (now: Date): Promise<number> => {
    const unusedSince = new Date(now.getTime() - unusedDays * 86_400_000);
    const tokens = await inBatches(unitOfWork, (most) => issued.prune(now, most));
    const left = await inBatches(unitOfWork, (most) => grants.prune(now, most));
    const unused = await inBatches(unitOfWork, (most) => clients.pruneUnused(unusedSince, most));
    return tokens + left + unused;
  };
}
