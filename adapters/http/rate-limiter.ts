// The rate limiter of requests (document D, "Rate limits"): whose budget is charged, and the X-RateLimit headers.
import { anonymous, type Caller } from '#core/kernel/caller';
import { callerKey } from '#core/kernel/current-caller';
import { RateLimited } from '#core/kernel/errors';
import type { Budget, Count, Meter, RateBudgets, RateCounter } from '#core/kernel/rate';

/** What the limiter says of one request: headers for the answer, and the refusal where the budget is spent. */
export interface RateDecision {
  readonly headers: Readonly<Record<string, string>>;
  readonly refusal: RateLimited | undefined;
  /** A budget of nothing at all: the access decision speaks first, so that a missing credential is 401 and not 429. */
  readonly closed: boolean;
}

type Metered = Exclude<Meter, 'none'>;

export interface RateLimiter {
  /** Undefined where this caller is not limited. */
  take(meter: Metered, caller: Caller, address: string, now: Date): Promise<RateDecision | undefined>;
  /** As `take` for an anonymous caller, with a budget also where those have none. */
  takeForPassword(meter: Metered, address: string, now: Date): Promise<RateDecision | undefined>;
  /** Undoes `takeForPassword`, for the password was right and its user is charged. */
  giveBack(meter: Metered, address: string, now: Date): Promise<void>;
}

/** Passwords an address may try in a window where anonymous callers have no budget at all. */
const passwordsWhereClosed = 30;

/** Document D, "Rate limits". */
export const rateHeaders = (
  { limit, remaining, resetAt }: Pick<Count, 'limit' | 'remaining' | 'resetAt'>,
  resource: string,
): Readonly<Record<string, string>> => ({
  'x-ratelimit-limit': String(limit),
  'x-ratelimit-remaining': String(remaining),
  'x-ratelimit-reset': String(Math.ceil(resetAt.getTime() / 1000)),
  'x-ratelimit-resource': resource,
});

export function rateLimiter({
  rateCounter,
  budgets,
}: {
  readonly rateCounter: RateCounter;
  readonly budgets: () => RateBudgets | undefined;
}): RateLimiter {
  const budgetOf = (meter: Metered, caller: Caller): Promise<Budget | undefined> | undefined =>
    budgets()?.budget(
      meter,
      caller.kind === 'user' ? { userId: caller.id, isAdmin: caller.isAdmin } : { isAdmin: false },
    );
  const keyOf = (meter: Metered, caller: Caller, address: string): string => `${meter}:${callerKey(caller, address)}`;
  const forPassword = async (meter: Metered): Promise<Budget | undefined> => {
    const budget = await budgetOf(meter, anonymous);
    return budget?.limit === 0 ? { ...budget, limit: passwordsWhereClosed } : budget;
  };
  const decide = async (meter: Metered, key: string, budget: Budget, now: Date): Promise<RateDecision> => {
    const count = await rateCounter.take(key, budget, now);
    return {
      headers: rateHeaders(count, meter),
      refusal: count.exceeded
        ? new RateLimited('Too many requests', (count.resetAt.getTime() - now.getTime()) / 1000, {
            detail: `The budget "${meter}" is ${count.limit} requests in ${budget.windowSeconds} seconds`,
          })
        : undefined,
      closed: budget.limit === 0,
    };
  };
  return {
    async take(meter, caller, address, now) {
      const budget = await budgetOf(meter, caller);
      return budget === undefined ? undefined : decide(meter, keyOf(meter, caller, address), budget, now);
    },
    async takeForPassword(meter, address, now) {
      const budget = await forPassword(meter);
      return budget === undefined ? undefined : decide(meter, keyOf(meter, anonymous, address), budget, now);
    },
    async giveBack(meter, address, now) {
      const budget = await forPassword(meter);
      if (budget !== undefined) await rateCounter.giveBack(keyOf(meter, anonymous, address), budget, now);
    },
  } satisfies RateLimiter;
}
