// The rate limiter of requests (document D, "Rate limits"): whose budget is charged, and the X-RateLimit headers.
import type { Caller } from '#core/kernel/caller';
import { callerKey } from '#core/kernel/current-caller';
import { RateLimited } from '#core/kernel/errors';
import type { Count, Meter, RateBudgets, RateCounter } from '#core/kernel/rate';

/** What the limiter says of one request: headers for the answer, and the refusal where the budget is spent. */
export interface RateDecision {
  readonly headers: Readonly<Record<string, string>>;
  readonly refusal: RateLimited | undefined;
  /** A budget of nothing at all: the access decision speaks first, so that a missing credential is 401 and not 429. */
  readonly closed: boolean;
}

export interface RateLimiter {
  /** Undefined where this caller is not limited. */
  take(meter: Exclude<Meter, 'none'>, caller: Caller, address: string, now: Date): Promise<RateDecision | undefined>;
}

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
  return {
    async take(meter, caller, address, now) {
      const user = caller.kind === 'user' ? caller : undefined;
      const budget = await budgets()?.budget(
        meter,
        user === undefined ? { isAdmin: false } : { userId: user.id, isAdmin: user.isAdmin },
      );
      if (budget === undefined) return undefined;
      const count = await rateCounter.take(`${meter}:${callerKey(caller, address)}`, budget, now);
      return {
        headers: rateHeaders(count, meter),
        refusal: count.exceeded
          ? new RateLimited('Too many requests', (count.resetAt.getTime() - now.getTime()) / 1000, {
              detail: `The budget "${meter}" is ${count.limit} requests in ${budget.windowSeconds} seconds`,
            })
          : undefined,
        closed: budget.limit === 0,
      };
    },
  } satisfies RateLimiter;
}
