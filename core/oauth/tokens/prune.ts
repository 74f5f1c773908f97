// Deletes expired codes and tokens, grants without any, and clients that were never used.
import { inBatches } from '#core/kernel/storage/batches';
import type { OAuthParts } from '../model/parts.ts';

/** How long a client that registered itself is kept without receiving a token, in days. */
const unusedDays = 30;

export async function prune({ issued, grants, clients, unitOfWork }: OAuthParts, now: Date): Promise<void> {
  const unusedSince = new Date(now.getTime() - unusedDays * 86_400_000);
  await inBatches(unitOfWork, (most) => issued.prune(now, most));
  await inBatches(unitOfWork, (most) => grants.prune(now, most));
  await inBatches(unitOfWork, (most) => clients.pruneUnused(unusedSince, most));
}
