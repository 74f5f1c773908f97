// Arithmetic of rate counters: entries by time, and the resulting state of a budget.
import type { Budget, Count } from '../rate.ts';

/** Units taken at one moment. A fixed window has one entry, at its start. */
export interface TallyEntry {
  readonly at: number;
  units: number;
}

/** The start time of a unit taken now. */
export const windowStart = ({ window, windowSeconds }: Budget, now: number): number =>
  window === 'fixed' ? Math.floor(now / (windowSeconds * 1000)) * windowSeconds * 1000 : now;

export const usedUnits = (entries: readonly TallyEntry[]): number => entries.reduce((sum, { units }) => sum + units, 0);

/** Drops expired entries. Entries are ordered oldest first, and expire one window length after `at` for both kinds. */
export function dropExpired(entries: TallyEntry[], windowMs: number, now: number): void {
  while (entries[0] !== undefined && entries[0].at + windowMs <= now) entries.shift();
}

/**
 * `wanted` units are available at `resetAt`. If no units are taken, that is now (rolling) or the end of the window
 * (fixed).
 */
export function countOf(
  entries: readonly TallyEntry[],
  budget: Budget,
  now: number,
  wanted: number,
  exceeded: boolean,
): Count {
  const { limit, window } = budget;
  const windowMs = budget.windowSeconds * 1000;
  const remaining = Math.max(0, limit - usedUnits(entries));
  return {
    limit,
    remaining,
    resetAt: new Date(window === 'fixed' ? windowStart(budget, now) + windowMs : freeAt()),
    exceeded,
  };

  function freeAt(): number {
    let free = remaining;
    for (const { at, units } of entries) {
      free += units;
      if (free >= Math.min(wanted, limit) || !exceeded) return at + windowMs;
    }
    return now;
  }
}
