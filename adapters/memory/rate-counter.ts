// The rate counter in memory: fixed and rolling windows per key, bounded in size.
import type { Budget, Count, RateCounter } from '#core/kernel/rate';

/** Keys kept at most. Beyond it, the longest-standing go first: a flood of addresses cannot fill the memory. */
const capacity = 100_000;
/** Expired keys are looked for once in so many takes. */
const sweepEvery = 1000;

/** Units taken, oldest first. A fixed window has one entry: its own. */
interface Tally {
  readonly window: Budget['window'];
  readonly windowMs: number;
  readonly entries: { at: number; units: number }[];
}

export function memoryRateCounter(): RateCounter {
  const tallies = new Map<string, Tally>();
  let takes = 0;

  /** The tally under `key` with what has expired left out; an empty one where the budget's window has changed. */
  const current = (key: string, { window, windowSeconds }: Budget, now: number): Tally => {
    const windowMs = windowSeconds * 1000;
    const tally = tallies.get(key);
    if (tally === undefined || tally.window !== window || tally.windowMs !== windowMs)
      return { window, windowMs, entries: [] };
    expire(tally, now);
    return tally;
  };

  const sweep = (now: number): void => {
    for (const [key, tally] of tallies) {
      expire(tally, now);
      if (tally.entries.length === 0) tallies.delete(key);
    }
  };

  return {
    async take(key, budget, now, units = 1) {
      const time = now.getTime();
      const tally = current(key, budget, time);
      if (used(tally) + units > budget.limit) return count(tally, budget, time, units, true);
      const at = tally.window === 'fixed' ? Math.floor(time / tally.windowMs) * tally.windowMs : time;
      const last = tally.entries.at(-1);
      if (last !== undefined && last.at >= at) last.units += units;
      else tally.entries.push({ at, units });
      tallies.set(key, tally);
      takes += 1;
      if (takes % sweepEvery === 0) sweep(time);
      const [eldest] = tallies.keys();
      if (tallies.size > capacity && eldest !== undefined) tallies.delete(eldest);
      return count(tally, budget, time, 1, false);
    },
    async peek(key, budget, now) {
      const tally = current(key, budget, now.getTime());
      return count(tally, budget, now.getTime(), 1, used(tally) >= budget.limit);
    },
    async clear(key) {
      tallies.delete(key);
    },
  } satisfies RateCounter;
}

const used = ({ entries }: Tally): number => entries.reduce((sum, { units }) => sum + units, 0);

/** An entry of a fixed window starts with it, so both kinds expire one window after their start. */
function expire({ entries, windowMs }: Tally, now: number): void {
  while (entries[0] !== undefined && entries[0].at + windowMs <= now) entries.shift();
}

/** `wanted` units are free at `resetAt`; where nothing is taken, now (rolling) or when the window ends (fixed). */
function count(tally: Tally, { limit }: Budget, now: number, wanted: number, exceeded: boolean): Count {
  const { entries, window, windowMs } = tally;
  const remaining = Math.max(0, limit - used(tally));
  return {
    limit,
    remaining,
    resetAt: new Date(window === 'fixed' ? (Math.floor(now / windowMs) + 1) * windowMs : freeAt()),
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
