// What has expired is removed: codes, tokens, grants that nothing is left of, and clients that were never used.
import { inBatches } from '#core/kernel/batches';
import type { OAuthParts } from './parts.ts';

/** How long a client that registered itself is kept without a token, in days. */
const unusedDays = 30;

/** @returns how many rows went. */
export function pruning({ issued, grants, clients, unitOfWork }: OAuthParts) {
  return async (now: Date): Promise<number> => {
    const unusedSince = new Date(now.getTime() - unusedDays * 86_400_000);
    const tokens = await inBatches(unitOfWork, (most) => issued.prune(now, most));
    const left = await inBatches(unitOfWork, (most) => grants.prune(now, most));
    const unused = await inBatches(unitOfWork, (most) => clients.pruneUnused(unusedSince, most));
    return tokens + left + unused;
  };
}
