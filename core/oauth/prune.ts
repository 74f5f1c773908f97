// What has expired is removed: codes, tokens, grants that nothing is left of, and clients that were never used.
import type { OAuthParts } from './parts.ts';

/** How long a client that registered itself is kept without a token, in days. */
const unusedDays = 30;

/** @returns how many rows went. */
export function pruning({ issued, grants, clients, unitOfWork }: OAuthParts) {
  return async (now: Date): Promise<number> => {
    const tokens = await unitOfWork.run(() => issued.prune(now));
    const left = await unitOfWork.run(() => grants.prune(now));
    const unused = await unitOfWork.run(() => clients.pruneUnused(new Date(now.getTime() - unusedDays * 86_400_000)));
    return tokens + left + unused;
  };
}
