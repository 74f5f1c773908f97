// Login throttling: at most 10 wrong passwords for one name and address in 15 minutes (document D, "POST /auth/login").
import { RateLimited } from '#core/kernel/errors';
import type { Budget, RateCounter } from '#core/kernel/rate';

const budget: Budget = { limit: 10, windowSeconds: 15 * 60, window: 'rolling' };
const refusalsNoted: Budget = { ...budget, limit: 1 };

export interface Throttle {
  /** Whether a refusal of `key` is the first of its window: the one that leaves an audit entry. */
  firstRefusal(key: string, now: Date): Promise<boolean>;
  /**
   * Lets `check` verify a password and counts it where it was wrong, which is undefined; where it was right, earlier
   * failures are forgotten.
   * Of many attempts at the same moment no more are checked than could all fail; the rest wait for their outcome.
   * @returns what `check` says.
   * @throws {RateLimited} where there were too many failures.
   */
  attempt<T>(key: string, now: Date, check: () => Promise<T | undefined>): Promise<T | undefined>;
}

/** Attempts on one key that are being checked. */
interface InFlight {
  readonly running: Set<Promise<void>>;
  /** How many have ended: a count read before one more did is out of date. */
  ended: number;
}

export function throttle(counter: RateCounter): Throttle {
  const byKey = new Map<string, InFlight>();

  const judge = async <T>(key: string, now: Date, check: () => Promise<T | undefined>): Promise<T | undefined> => {
    const proved = await check();
    await (proved === undefined ? counter.take(key, budget, now) : counter.clear(key));
    return proved;
  };

  return {
    async firstRefusal(key, now) {
      return !(await counter.take(`refused-${key}`, refusalsNoted, now)).exceeded;
    },
    async attempt(key, now, check) {
      for (;;) {
        const attempts: InFlight = byKey.get(key) ?? { running: new Set(), ended: 0 };
        byKey.set(key, attempts);
        const { ended } = attempts;
        const { exceeded, remaining, resetAt } = await counter.peek(key, budget, now);
        if (attempts.ended !== ended || byKey.get(key) !== attempts) continue;
        if (exceeded) {
          if (attempts.running.size === 0) byKey.delete(key);
          throw new RateLimited('Too many wrong passwords', (resetAt.getTime() - now.getTime()) / 1000, {
            detail: 'Wait, then try again',
          });
        }
        if (attempts.running.size >= remaining) {
          await Promise.race(attempts.running);
          continue;
        }
        const outcome = judge(key, now, check);
        const settled = outcome
          .then(
            () => undefined,
            () => undefined,
          )
          .then(() => {
            attempts.running.delete(settled);
            attempts.ended += 1;
            if (attempts.running.size === 0 && byKey.get(key) === attempts) byKey.delete(key);
          });
        attempts.running.add(settled);
        return outcome;
      }
    },
  } satisfies Throttle;
}
