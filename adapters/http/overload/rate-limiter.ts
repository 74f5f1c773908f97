// The rate limiter of requests: selects the budgets to charge, and sets the X-RateLimit headers.
import type { Request } from '@hapi/hapi';
import type { AccessRule } from '#core/kernel/access/access';
import { callerKey } from '#core/kernel/access/current-caller';
import { anonymous, type Caller } from '#core/kernel/caller';
import { RateLimited } from '#core/kernel/errors';
import type { Budget, Count, Meter, MeteredTarget, RateBudgets, RateCounter } from '#core/kernel/rate';

/** The result for one request: headers for the answer, and the error if a budget is used up. */
export interface RateDecision {
  readonly headers: Readonly<Record<string, string>>;
  readonly refusal: RateLimited | undefined;
  /**
   * Whether the limit is 0. Then the access decision runs first, so that a missing credential is 401 instead of 429.
   */
  readonly closed: boolean;
}

type Metered = Exclude<Meter, 'none'>;

/** The parts of a request that the limiter needs. */
export interface MeteredRequest {
  readonly caller: Caller;
  /** The client's address. */
  readonly ip: string;
  readonly now: Date;
  readonly method: string;
  /** Without the query. */
  readonly path: string;
}

export interface RateLimiter {
  /**
   * Charges the budgets of the caller, of their token and of its application. Undefined if this caller is not limited.
   */
  take(meter: Metered, request: MeteredRequest): Promise<RateDecision | undefined>;
  /** Charges the budget of the repository that the request is about. Undefined if it has no separate budget. */
  takeOfRepository(meter: Metered, request: MeteredRequest, id: string): Promise<RateDecision | undefined> | undefined;
  /** As `take` for an anonymous caller, but a limit of 0 is replaced by 30. */
  takeForPassword(meter: Metered, request: MeteredRequest): Promise<RateDecision | undefined>;
  /** Undoes `takeForPassword`: the password was right, so its user is charged instead. */
  giveBack(meter: Metered, request: MeteredRequest): Promise<void>;
}

/** Passwords that an address may try per window if anonymous callers have a budget of 0. */
const passwordsWhereClosed = 30;

/** The X-RateLimit headers of a count; the reset is in Unix seconds, rounded up. */
export const rateHeaders = (
  { limit, remaining, resetAt }: Pick<Count, 'limit' | 'remaining' | 'resetAt'>,
  resource: string,
): Readonly<Record<string, string>> => ({
  'x-ratelimit-limit': String(limit),
  'x-ratelimit-remaining': String(remaining),
  'x-ratelimit-reset': String(Math.ceil(resetAt.getTime() / 1000)),
  'x-ratelimit-resource': resource,
});

/** The caller's token, and the application that it was issued to. */
function targetsOf(caller: Caller): readonly MeteredTarget[] {
  if (caller.kind !== 'user') return [];
  const { kind, id, applicationId } = caller.credential;
  if (kind !== 'pat' && kind !== 'oauth') return [];
  return [
    { kind: 'tokens', id },
    ...(applicationId === undefined ? [] : [{ kind: 'apps', id: applicationId } as const]),
  ];
}

export function rateLimiter({
  rateCounter,
  budgets,
}: {
  readonly rateCounter: RateCounter;
  readonly budgets: RateBudgets | undefined;
}): RateLimiter {
  const budgetOf = (meter: Metered, caller: Caller): Promise<Budget | undefined> | undefined =>
    budgets?.budget(
      meter,
      caller.kind === 'user' ? { userId: caller.id, isAdmin: caller.isAdmin } : { isAdmin: false },
    );
  const forPassword = async (meter: Metered): Promise<Budget | undefined> => {
    const budget = await budgetOf(meter, anonymous);
    return budget?.limit === 0 ? { ...budget, limit: passwordsWhereClosed } : budget;
  };

  const decide = async (
    scope: Metered,
    subject: string,
    budget: Budget,
    { ip, now: at, method, path }: MeteredRequest,
  ): Promise<RateDecision> => {
    const { limit, windowSeconds } = budget;
    const count = await rateCounter.take(`${scope}:${subject}`, budget, at);
    const closed = limit === 0;
    if (count.exceeded && !closed) budgets?.refused?.({ subject, scope, limit, windowSeconds, path, method, ip, at });
    return {
      headers: rateHeaders(count, scope),
      refusal: count.exceeded
        ? new RateLimited('Too many requests', (count.resetAt.getTime() - at.getTime()) / 1000, {
            detail: `The budget "${scope}" is ${limit} requests in ${windowSeconds} seconds`,
          })
        : undefined,
      closed,
    };
  };

  const ofTarget = async (
    meter: Metered,
    request: MeteredRequest,
    target: MeteredTarget,
  ): Promise<RateDecision | undefined> => {
    const { caller } = request;
    const isAdmin = caller.kind === 'user' && caller.isAdmin;
    const budget = await budgets?.narrowed?.(meter, target, { isAdmin });
    if (budget === undefined) return undefined;
    const subject = `${callerKey(caller, request.ip)}:${target.kind}:${target.id}`;
    return decide(meter, subject, budget, request);
  };
  const nothingIsNarrower = (): boolean => budgets?.narrowed === undefined;

  return {
    async take(meter, request) {
      const { caller, ip } = request;
      const budget = await budgetOf(meter, caller);
      let decision = budget && (await decide(meter, callerKey(caller, ip), budget, request));
      if (nothingIsNarrower()) return decision;
      for (const target of targetsOf(caller)) {
        if (decision?.refusal !== undefined) return decision;
        decision = (await ofTarget(meter, request, target)) ?? decision;
      }
      return decision;
    },
    takeOfRepository: (meter, request, id) =>
      nothingIsNarrower() ? undefined : ofTarget(meter, request, { kind: 'repos', id }),
    async takeForPassword(meter, request) {
      const budget = await forPassword(meter);
      return budget && decide(meter, callerKey(anonymous, request.ip), budget, request);
    },
    async giveBack(meter, { ip, now }) {
      const budget = await forPassword(meter);
      if (budget !== undefined) await rateCounter.giveBack(`${meter}:${callerKey(anonymous, ip)}`, budget, now);
    },
  } satisfies RateLimiter;
}

/** The data that the limiter needs. */
export const metered = (request: Request): MeteredRequest => {
  const { caller, ip, now } = request.app.exchange;
  return { caller, ip, now, method: request.method.toUpperCase(), path: request.path };
};

/** Sets the rate limit headers of the answer, also for errors. @throws {RateLimited} if a budget is used up. */
export function decided(request: Request, rate: RateDecision | undefined): RateDecision | undefined {
  for (const name in rate?.headers) request.raw.res.setHeader(name, rate.headers[name] ?? '');
  if (rate?.refusal !== undefined && !rate.closed) throw rate.refusal;
  return rate;
}

/**
 * Charges the repository's budget. Called after the access decision, so that it does not reveal a hidden repository.
 */
export function takeOfRepository(
  { access, meter }: { readonly access: AccessRule; readonly meter: Meter },
  limiter: RateLimiter,
  request: Request,
  granted: { readonly resource: unknown } | undefined,
): Promise<void> | undefined {
  if (granted === undefined || access.who !== 'permitted' || !repositories.has(access.resource)) return undefined;
  return chargeRepository(meter, limiter, request, granted);
}

/** @param granted the access decision about a repository. @throws {RateLimited} */
export function chargeRepository(
  meter: Meter,
  limiter: RateLimiter,
  request: Request,
  granted: { readonly resource: unknown },
): Promise<void> | undefined {
  const { id } = granted.resource as { readonly id?: unknown };
  if (meter === 'none' || typeof id !== 'string') return undefined;
  return limiter.takeOfRepository(meter, metered(request), id)?.then((decision) => {
    const rate = decided(request, decision);
    if (rate?.refusal !== undefined) throw rate.refusal;
  });
}

/** The kinds of resources that are a repository. */
const repositories: ReadonlySet<string> = new Set(['repository', 'counted-repository']);
