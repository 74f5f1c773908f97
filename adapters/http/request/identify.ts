// The steps before the access decision: credential, cross-site check, rate limit. A rejected credential is charged to
// the client's address, and a password is charged before it is checked, so that no hash is computed over budget.
import type { IncomingHttpHeaders } from 'node:http';
import type { Request } from '@hapi/hapi';
import { callerKey, type CurrentCaller } from '#core/kernel/access/current-caller';
import type { Authenticator, Presented } from '#core/kernel/access/credentials';
import { Unauthorized } from '#core/kernel/errors';
import type { Meter } from '#core/kernel/rate';
import { sessionCookie } from './credentials.ts';
import type { Exchange } from './exchange.ts';
import { decided, metered } from './metering.ts';
import type { RateDecision, RateLimiter } from '../overload/rate-limiter.ts';

type Cookies = Readonly<Record<string, string>>;

export interface Identifying {
  readonly currentCaller: CurrentCaller;
  readonly authenticator: Authenticator;
  readonly limiter: RateLimiter;
}

export interface Identified {
  readonly meter: Meter;
  readonly basic?: true;
  /** The route reads its credentials itself, and its caller is anonymous. */
  readonly ownCredentials?: true;
  /** Reads the credential that the client shows explicitly; browsers send cookies automatically. */
  readonly presented: (headers: IncomingHttpHeaders) => Presented | undefined;
  /** Rejects requests that another site made a browser send. */
  readonly guard?: (headers: IncomingHttpHeaders, cookies: Cookies) => void;
  /** As `guard`, called only if a cookie authenticates. */
  readonly guardCookie?: (headers: IncomingHttpHeaders) => void;
  /**
   * Called when the caller is known, before the budget is charged. Throws if the operation does not exist for the
   * caller.
   */
  readonly known?: (request: Request) => Promise<void>;
}

/** The context that the authenticator receives beside the credential. */
type ProofContext = Parameters<Authenticator['authenticate']>[1];

const alreadyCharged = (): Promise<void> => Promise.resolve();

/** Returns the rate decision, or undefined if the request is not limited. Sets the caller of the exchange. */
export function identifier(
  { meter, basic, ownCredentials, presented, guard, guardCookie, known }: Identified,
  { authenticator, limiter, currentCaller }: Identifying,
): (request: Request, exchange: Exchange, cookies: Cookies) => Promise<RateDecision | undefined> {
  const authenticate = async (
    shown: Presented,
    exchange: Exchange,
    beforePassword: () => Promise<void>,
  ): Promise<void> => {
    const { ip, now: arrived } = exchange;
    const at = (now: Date, passwords: () => Promise<void>): ProofContext =>
      basic === true ? { ip, now, passwords } : { ip, now };
    const user = await authenticator.authenticate(shown, at(arrived, beforePassword));
    exchange.caller = user;
    exchange.callerAt = (now) => authenticator.renew(user, shown, at(now, alreadyCharged));
  };

  /** Undefined if the request has no credential. */
  const establish = (
    request: Request,
    exchange: Exchange,
    cookies: Cookies,
    beforePassword: () => Promise<void>,
  ): Promise<void> | undefined => {
    if (ownCredentials === true) return undefined;
    const { headers } = request.raw.req;
    guard?.(headers, cookies);
    const shown = presented(headers);
    if (shown !== undefined) return authenticate(shown, exchange, beforePassword);
    const token = cookies[sessionCookie];
    if (token === undefined || token === '') return undefined;
    guardCookie?.(headers);
    // Browsers send an expired cookie even to the routes that renew it, so a bad cookie counts as anonymous.
    return authenticate({ via: 'cookie', token }, exchange, beforePassword).catch((error: unknown) => {
      if (!(error instanceof Unauthorized)) throw error;
    });
  };

  const identify = async (
    request: Request,
    exchange: Exchange,
    cookies: Cookies,
  ): Promise<RateDecision | undefined> => {
    const take = async (): Promise<RateDecision | undefined> =>
      meter === 'none' ? undefined : decided(request, await limiter.take(meter, metered(request)));
    let charged = false;
    try {
      await establish(request, exchange, cookies, async () => {
        if (meter === 'none') return;
        charged = true;
        decided(request, await limiter.takeForPassword(meter, metered(request)));
      });
    } catch (error) {
      if (!charged) await take();
      throw error;
    }
    if (known !== undefined)
      await currentCaller.run(callerKey(exchange.caller, exchange.ip), async () => known(request));
    const rate = await take();
    // A user over their budget keeps the charge on the address; otherwise each refused request would cost a hash.
    if (charged && meter !== 'none' && rate?.refusal === undefined) await limiter.giveBack(meter, metered(request));
    return rate;
  };

  // Until the caller is known, the work counts for the client's address.
  return (request, exchange, cookies) =>
    currentCaller.run(callerKey(exchange.caller, exchange.ip), () => identify(request, exchange, cookies));
}
