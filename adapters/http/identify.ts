// The steps before the access decision: credential, cross-site check, rate limit. A refused credential counts by its
// address, and a password before it is checked: past the budget it costs no hash.
import type { IncomingHttpHeaders } from 'node:http';
import type { Request } from '@hapi/hapi';
import { callerKey, type CurrentCaller } from '#core/kernel/current-caller';
import type { Authenticator, Presented } from '#core/kernel/credentials';
import { Unauthorized } from '#core/kernel/errors';
import type { Meter } from '#core/kernel/rate';
import { sessionCookie } from './credentials.ts';
import type { Exchange } from './exchange.ts';
import { decided, metered } from './metering.ts';
import type { RateDecision, RateLimiter } from './rate-limiter.ts';

type Cookies = Readonly<Record<string, string>>;

export interface Identifying {
  readonly currentCaller: CurrentCaller;
  readonly authenticator: Authenticator;
  readonly limiter: RateLimiter;
}

export interface Identified {
  readonly meter: Meter;
  readonly basic?: true;
  /** The route reads its credentials itself, and has no caller. */
  readonly ownCredentials?: true;
  /** The credential that is shown as such; a cookie is sent by itself. */
  readonly presented: (headers: IncomingHttpHeaders) => Presented | undefined;
  /** Refuses what another site made a browser send. */
  readonly guard?: (headers: IncomingHttpHeaders, cookies: Cookies) => void;
  /** The same, where it is a cookie that authenticates. */
  readonly guardCookie?: (headers: IncomingHttpHeaders) => void;
  /** Told once the caller is known, before they pay for it: what is not there for them is refused so. */
  readonly known?: (request: Request) => Promise<void>;
}

/** What the authenticator is told beside what was presented. */
type ProofContext = Parameters<Authenticator['authenticate']>[1];

const alreadyCharged = (): Promise<void> => Promise.resolve();

/** Yields the rate decision, undefined where nothing is limited; the exchange then knows its caller. */
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

  /** Undefined where nothing is presented. */
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
    // A browser sends an expired cookie to the very routes that renew it, so a bad one is as good as none.
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
    // A user past their budget goes on paying with the address, or each refusal would cost a hash.
    if (charged && meter !== 'none' && rate?.refusal === undefined) await limiter.giveBack(meter, metered(request));
    return rate;
  };

  // Until the caller is known, this is the work of an address.
  return (request, exchange, cookies) =>
    currentCaller.run(callerKey(exchange.caller, exchange.ip), () => identify(request, exchange, cookies));
}
