// Slows the guessing of passwords: 10 failures for one name and address in 15 minutes (document D, "POST /auth/login").
import { RateLimited } from '#core/kernel/errors';
import type { Budget, RateCounter } from '#core/kernel/rate';

const budget: Budget = { limit: 10, windowSeconds: 15 * 60, window: 'rolling' };

export interface Throttle {
  /**
   * Lets `check` look at a password and counts it where it was wrong; where it was right, earlier failures are
   * forgotten.
   * Of many attempts at the same moment no more are looked at than could all fail; the rest wait for their outcome.
   * @returns what `check` says.
   * @throws {RateLimited} where there were too many failures.
   */
  attempt(key: string, now: Date, check: () => Promise<boolean>): Promise<boolean>;
}

/** Attempts on one key that are being looked at. */
interface Lane {
  readonly running: Set<Promise<void>>;
  /** How many have ended: a count read before one more did is out of date. */
  ended: number;
}

export function throttle(counter: RateCounter): Throttle {
  const lanes = new Map<string, Lane>();

  const judge = async (key: string, now: Date, check: () => Promise<boolean>): Promise<boolean> => {
    const right = await check();
    await (right ? counter.clear(key) : counter.take(key, budget, now));
    return right;
  };

  return {
    async attempt(key, now, check) {
      for (;;) {
        const lane: Lane = lanes.get(key) ?? { running: new Set(), ended: 0 };
        lanes.set(key, lane);
        const { ended } = lane;
        const { exceeded, remaining, resetAt } = await counter.peek(key, budget, now);
        if (lane.ended !== ended || lanes.get(key) !== lane) continue;
        if (exceeded) {
          if (lane.running.size === 0) lanes.delete(key);
          throw new RateLimited('Too many wrong passwords', (resetAt.getTime() - now.getTime()) / 1000, {
            detail: 'Wait, then try again',
          });
        }
        if (lane.running.size >= remaining) {
          await Promise.race(lane.running);
          continue;
        }
        const outcome = judge(key, now, check);
        const settled = outcome
          .then(
            () => undefined,
            () => undefined,
          )
          .then(() => {
            lane.running.delete(settled);
            lane.ended += 1;
            if (lane.running.size === 0 && lanes.get(key) === lane) lanes.delete(key);
          });
        lane.running.add(settled);
        return outcome;
      }
    },
  } satisfies Throttle;
}
