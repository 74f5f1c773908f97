// What was taken of a budget, as every rate counter reads it: entries by time, and how the budget stands.
import type { Budget, Count } from './rate.ts';

/** Units taken at one moment. A fixed window has one entry, at its start. */
export interface TallyEntry {
  readonly at: number;
  units: number;
}

/** When a unit taken now counts from. */
export const windowStart = ({ window, windowSeconds }: Budget, now: number): number =>
  window === 'fixed' ? Math.floor(now / (windowSeconds * 1000)) * windowSeconds * 1000 : now;

export const usedUnits = (entries: readonly TallyEntry[]): number => entries.reduce((sum, { units }) => sum + units, 0);

/** Oldest first; an entry of a fixed window starts with it, so both kinds expire one window after their start. */
export function dropExpired(entries: TallyEntry[], windowMs: number, now: number): void {
  while (entries[0] !== undefined && entries[0].at + windowMs <= now) entries.shift();
}

/** `wanted` units are free at `resetAt`; where nothing is taken, now (rolling) or when the window ends (fixed). */
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
