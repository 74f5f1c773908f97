// Rate limits of a request: the data for the limiter, the headers of the answer, and the budget of a repository.
import type { Request } from '@hapi/hapi';
import type { Route } from '../descriptor/route.ts';
import type { MeteredRequest, RateDecision, RateLimiter } from '../overload/rate-limiter.ts';

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
  { access, meter }: Route,
  limiter: RateLimiter,
  request: Request,
  granted: { readonly resource: unknown } | undefined,
): Promise<void> | undefined {
  if (meter === 'none' || granted === undefined || access.who !== 'permitted') return undefined;
  const { id } = granted.resource as { readonly id?: unknown };
  if (typeof id !== 'string' || !repositories.has(access.resource)) return undefined;
  return limiter.takeOfRepository(meter, metered(request), id)?.then((decision) => {
    const rate = decided(request, decision);
    if (rate?.refusal !== undefined) throw rate.refusal;
  });
}

/** The kinds of resources that are a repository. */
const repositories: ReadonlySet<string> = new Set(['repository', 'counted-repository']);
