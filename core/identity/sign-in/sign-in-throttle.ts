// Throttles sign-in: at most 10 wrong passwords per username and address in 15 minutes.
import { RateLimited } from '#core/kernel/errors';
import { clientNetwork } from '#core/kernel/access/current-caller';
import type { Budget, RateCounter } from '#core/kernel/rate';
import { signInNameLimit, usernameKey, usernameLimit } from '../model/username.ts';

const budget: Budget = { limit: 10, windowSeconds: 15 * 60, window: 'rolling' };
const refusalsNoted: Budget = { ...budget, limit: 1 };

/**
 * The key of all attempts with a name from a client's network, wherever the password is asked for.
 *
 * The name is normalized as directories do (RFC 4518, section 2.3), and without accents, which Active Directory
 * ignores, so that different spellings of a name share one failure count. Truncating keeps keys short; a name that is
 * too long is wrong in any case. The text is also truncated before it is normalized, because normalization sorts
 * combining marks in quadratic time.
 */
export function signInKey(username: string, ip: string): string {
  const plain = username.slice(0, signInNameLimit).normalize('NFKD').replaceAll(/\p{M}/gu, '').toUpperCase();
  const name = usernameKey(plain).slice(0, 2 * usernameLimit);
  return `sign-in:${name}@${clientNetwork(ip)}`;
}

export interface Throttle {
  /** Whether this rejection of `key` is the first in its window. Only the first writes an audit entry. */
  firstRefusal(key: string, now: Date): Promise<boolean>;
  /**
   * Runs `check`, which verifies a password and returns undefined if it is wrong. A wrong password is counted; a
   * correct one clears earlier failures. Concurrent attempts are limited to the number of remaining failures; further
   * ones wait for a result.
   * @returns the result of `check`.
   * @throws {RateLimited} after too many failures.
   */
  attempt<T>(key: string, now: Date, check: () => Promise<T | undefined>): Promise<T | undefined>;
}

/** The running attempts of one key. */
interface InFlight {
  readonly running: Set<Promise<void>>;
  /** The number of finished attempts. A count that was read before this number changed is outdated. */
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
