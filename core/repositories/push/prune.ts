// Prunes unreachable objects: decides which repositories are due, and when each is due again.
import type { RepositoryParts } from '../model/parts.ts';
import type { PlannedPrune } from '../model/ports.ts';
import { measure } from './byte-limit.ts';
import { forgetBrought, measureBrought } from './count-brought.ts';
import type { KeptRequests } from '../model/offers.ts';

const hour = 3_600_000;
const day = 24 * hour;
/** The time from the first push after a pruning to the next pruning. */
const period = 14 * day;
/**
 * The time that a repository must be unchanged before it is pruned. A push that negotiated with older refs has ended by
 * then: its deadline is an hour by default.
 */
const idle = 2 * hour;
/** Objects younger than this are kept, because objects are written before the refs that point to them. */
const young = day;
const tryAgain = day;
/** The most repositories of one run. */
const batch = 100;

const after = (time: Date, milliseconds: number): Date => new Date(time.getTime() + milliseconds);

/**
 * When a repository is pruned after a push at `now`. Every push counts: one that moves or deletes a ref can make
 * objects unreachable, and one that only creates refs may leave objects of rejected refs.
 */
export const nextPrune = (now: Date): Date => after(now, period);

/** When a repository is pruned if large objects were let go at `now`: once they are no longer young. */
export const soonPrune = (now: Date): Date => after(now, young + hour);

type Parts = Pick<RepositoryParts, 'store' | 'brought' | 'git' | 'unitOfWork' | 'clock' | 'log'> & {
  readonly keptRequests: () => KeptRequests | undefined;
};

/** Prunes the due repositories one after another. One that fails is tried again after a day. */
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
  const { store, git, unitOfWork, clock, log } = parts;
  const replan = (seen: Parameters<typeof store.replanPrune>[1], next: Date | undefined): Promise<boolean> =>
    unitOfWork.run(() => store.replanPrune(repositoryId, seen, next));
  const now = clock.now();
  // Planned before the work begins, so that the retry happens even if this process ends.
  const putOff = after(now, tryAgain);
  if (!(await replan({ pruneAt, updatedAt }, putOff))) return;
  const before = after(now, -young);
  const { remaining } = await git.prune(repositoryId, { before, signal });
  await measure(parts, repositoryId);
  await measureBrought(parts, repositoryId, signal).catch((error: unknown) => {
    if (!signal.aborted) log.warn({ err: error, repository: repositoryId }, 'bytes of merge requests are not measured');
  });
  const letGo = await forgetBrought(parts, repositoryId, before);
  const again = letGo === 'large' ? soonPrune(clock.now()) : nextPrune(clock.now());
  // A push that happened meanwhile found a planned time and did not plan one itself.
  if (!(await replan({ pruneAt: putOff, updatedAt }, remaining || letGo !== 'none' ? again : undefined)))
    await replan({ pruneAt: putOff }, again);
}
