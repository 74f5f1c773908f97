// Pruning objects that nothing leads to any more: which repositories are due, and when each is due again.
import type { RepositoryParts } from './parts.ts';
import type { PlannedPrune } from './ports.ts';
import { measure } from './quota.ts';

const hour = 3_600_000;
const day = 24 * hour;
/** From the first push after a pruning to the next pruning. */
const period = 14 * day;
/** A push that negotiated with the refs as they were has ended after so long: by default its deadline is an hour. */
const idle = 2 * hour;
/** Objects are written before the refs that lead to them. */
const young = day;
const tryAgain = day;
/** Repositories of one run. */
const batch = 100;

const after = (time: Date, milliseconds: number): Date => new Date(time.getTime() + milliseconds);

/**
 * When a repository is pruned that something was pushed to now. Every push counts: one that moves or deletes a ref
 * leaves what that led to, and one that only makes refs may leave objects of others that were refused.
 */
export const nextPrune = (now: Date): Date => after(now, period);

type Parts = Pick<RepositoryParts, 'store' | 'git' | 'unitOfWork' | 'clock' | 'log'>;

/** Prunes what is due, one repository after the other. One that fails is put off by a day. */
export const pruneDue =
  (parts: Parts) =>
  async (signal: AbortSignal): Promise<void> => {
    const { store, clock, log } = parts;
    const now = clock.now();
    for (const planned of await store.duePrunes({ now, idleSince: after(now, -idle), limit: batch })) {
      if (signal.aborted) return;
      try {
        await prune(parts, planned, signal);
      } catch (error) {
        if (!signal.aborted)
          log.warn(
            { err: error, repository: planned.repositoryId },
            'a repository could not be pruned; it is tried again in a day',
          );
      }
    }
  };

async function prune(
  parts: Parts,
  { repositoryId, pruneAt, updatedAt }: PlannedPrune,
  signal: AbortSignal,
): Promise<void> {
  const { store, git, unitOfWork, clock } = parts;
  const replan = (seen: Parameters<typeof store.replanPrune>[1], next: Date | undefined): Promise<boolean> =>
    unitOfWork.run(() => store.replanPrune(repositoryId, seen, next));
  const now = clock.now();
  // First, so that it stands whatever becomes of this process.
  const putOff = after(now, tryAgain);
  if (!(await replan({ pruneAt, updatedAt }, putOff))) return;
  const { remaining } = await git.prune(repositoryId, { before: after(now, -young), signal });
  await measure(parts, repositoryId);
  const again = nextPrune(clock.now());
  // A push that came meanwhile found something planned and planned nothing itself.
  if (!(await replan({ pruneAt: putOff, updatedAt }, remaining ? again : undefined)))
    await replan({ pruneAt: putOff }, again);
}
