// The rate counter in memory: fixed and rolling windows per key, with a bounded number of keys per class.
import type { Budget, Count, RateCounter } from '../rate.ts';

/**
 * Maximum number of keys per class. The least used keys are evicted first, so that a flood of addresses cannot reset an
 * exhausted budget.
 */
const keysPerClass = 50_000;
/** Keys checked for expiry by each `take`. More than the one key that it can add. */
const sweepStep = 3;
/**
 * Keys are grouped by the used part of their budget, in this many levels. The last level contains exhausted budgets.
 */
const levels = 10;

/** The units taken under one key. */
interface Tally {
  readonly window: Budget['window'];
  readonly windowMs: number;
  readonly entries: TallyEntry[];
  level: number;
}

export function memoryRateCounter(capacity = keysPerClass): RateCounter {
  const classes = new Map<string, TallyClass>();
  const classOf = (key: string): TallyClass => {
    const name = className(key);
    const known = classes.get(name) ?? new TallyClass(capacity);
    classes.set(name, known);
    return known;
  };

  return {
    async take(key, budget, now, units = 1) {
      const time = now.getTime();
      const kept = classOf(key);
      const tally = kept.current(key, budget, time);
      if (usedUnits(tally.entries) + units > budget.limit) return countOf(tally.entries, budget, time, units, true);
      const at = windowStart(budget, time);
      const last = tally.entries.at(-1);
      if (last !== undefined && last.at >= at) last.units += units;
      else tally.entries.push({ at, units });
      kept.keep(key, tally, levelOf(tally, budget));
      kept.sweep(time);
      return countOf(tally.entries, budget, time, 1, false);
    },
    async peek(key, budget, now) {
      const { entries } = classOf(key).current(key, budget, now.getTime());
      return countOf(entries, budget, now.getTime(), 1, usedUnits(entries) >= budget.limit);
    },
    async giveBack(key, budget, now) {
      const kept = classOf(key);
      const tally = kept.current(key, budget, now.getTime());
      const last = tally.entries.at(-1);
      if (last === undefined) return;
      last.units -= 1;
      if (last.units === 0) tally.entries.pop();
      kept.keep(key, tally, levelOf(tally, budget));
    },
    async clear(key) {
      classOf(key).drop(key);
    },
  } satisfies RateCounter;
}

/**
 * The class of a key (see `RateCounter`). The rest of the key may be a client's own text and must not create classes.
 */
function className(key: string): string {
  const end = key.indexOf(':');
  if (end < 0) return key;
  for (const kind of [':user', ':address'])
    if (key.startsWith(kind, end) && key[end + kind.length] === ':') return key.slice(0, end + kind.length);
  return key.slice(0, end);
}

/** The keys of one class, grouped by the used part of their budget. */
class TallyClass {
  readonly #capacity: number;
  readonly #tallies = new Map<string, Tally>();
  readonly #byLevel = Array.from({ length: levels + 1 }, () => new Level());
  #cursor = this.#tallies.entries();

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** The tally under `key` without expired entries; a new empty one if the window of the budget has changed. */
  current(key: string, { window, windowSeconds }: Budget, now: number): Tally {
    const windowMs = windowSeconds * 1000;
    const tally = this.#tallies.get(key);
    if (tally === undefined || tally.window !== window || tally.windowMs !== windowMs)
      return { window, windowMs, entries: [], level: 0 };
    dropExpired(tally.entries, windowMs, now);
    return tally;
  }

  keep(key: string, tally: Tally, level: number): void {
    const known = this.#tallies.get(key);
    if (known === undefined || known.level !== level) {
      if (known !== undefined) this.#byLevel[known.level]?.keys.delete(key);
      this.#byLevel[level]?.keys.add(key);
    }
    tally.level = level;
    if (known === tally) return;
    this.#tallies.set(key, tally);
    if (this.#tallies.size > this.#capacity) this.#evict(key);
  }

  drop(key: string): void {
    const tally = this.#tallies.get(key);
    if (tally === undefined) return;
    this.#byLevel[tally.level]?.keys.delete(key);
    this.#tallies.delete(key);
  }

  /** Deletes expired keys, checking a few keys per call. */
  sweep(now: number): void {
    for (let step = 0; step < sweepStep; step += 1) {
      const next = this.#cursor.next();
      if (next.done === true) {
        this.#cursor = this.#tallies.entries();
        return;
      }
      const [key, tally] = next.value;
      dropExpired(tally.entries, tally.windowMs, now);
      if (tally.entries.length === 0) this.drop(key);
    }
  }

  /** Evicts the least used key, but never the new one: otherwise the newest client would not be counted at all. */
  #evict(newcomer: string): void {
    for (const level of this.#byLevel) {
      const key = level.longest(newcomer);
      if (key !== undefined) return this.drop(key);
    }
  }
}

/** The keys of one level of use. */
class Level {
  readonly keys = new Set<string>();
  /** Kept between calls: a new iterator would skip over all deleted entries each time. */
  #cursor = this.keys.values();

  /** The oldest key of this level other than `except`, searched from the position of the last call. */
  longest(except: string): string | undefined {
    for (let look = 0; look < 2; look += 1) {
      for (let next = this.#cursor.next(); next.done !== true; next = this.#cursor.next())
        if (next.value !== except) return next.value;
      this.#cursor = this.keys.values();
    }
    return undefined;
  }
}

const levelOf = ({ entries }: Tally, { limit }: Budget): number =>
  Math.min(levels, Math.floor((levels * usedUnits(entries)) / limit));

/** Units taken at one moment. A fixed window has one entry, at its start. */
export interface TallyEntry {
  readonly at: number;
  units: number;
}

/** The start time of a unit taken now. */
export const windowStart = ({ window, windowSeconds }: Budget, now: number): number =>
  window === 'fixed' ? Math.floor(now / (windowSeconds * 1000)) * windowSeconds * 1000 : now;

const usedUnits = (entries: readonly TallyEntry[]): number => entries.reduce((sum, { units }) => sum + units, 0);

/** Drops expired entries. Entries are ordered oldest first, and expire one window length after `at` for both kinds. */
function dropExpired(entries: TallyEntry[], windowMs: number, now: number): void {
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
