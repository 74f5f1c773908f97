// Establishes the caller of a request: its credential in the Authorization header or a cookie, the cross-site check,
// and the rate limit. These are the steps before the access decision.
import type { IncomingHttpHeaders } from 'node:http';
import type { Request } from '@hapi/hapi';
import { callerKey, type CurrentCaller } from '#core/kernel/access/current-caller';
import type { Authenticator, PageSession, PageSessions, Presented } from '#core/kernel/access/credentials';
import { Forbidden, Unauthorized } from '#core/kernel/errors';
import type { Meter } from '#core/kernel/rate';
import type { Cookie } from '../descriptor/route.ts';
import type { Admission } from '../overload/admit.ts';
import { decided, metered, type RateDecision } from '../overload/rate-limiter.ts';
import type { Exchange } from './exchange.ts';

/** The session cookie. All of our cookies share its prefix. */
export const sessionCookie = 'svc_access_token';
/** The cookie by which a page renews the session cookie. */
const pageCookie = 'svc_page_session';
const ourPrefix = 'svc_';

export type Cookies = Readonly<Record<string, string>>;

const bearerToken = /^[A-Za-z0-9\-._~+/]+=*$/;
const base64 = /^[A-Za-z0-9+/]+={0,2}$/;

/**
 * The credential in an Authorization header; undefined if the header is absent.
 * @throws {Unauthorized} for another scheme or a malformed value: a bad credential never counts as anonymous.
 */
export function presentedIn(authorization: string | undefined): Presented | undefined {
  if (authorization === undefined) return undefined;
  const [scheme = '', value = '', ...rest] = authorization.trim().split(/ +/);
  if (rest.length === 0) {
    if (scheme.toLowerCase() === 'bearer' && bearerToken.test(value)) return { via: 'bearer', token: value };
    if (scheme.toLowerCase() === 'basic' && base64.test(value)) {
      const pair = Buffer.from(value, 'base64').toString('utf8');
      const colon = pair.indexOf(':');
      if (colon !== -1 && !pair.includes('\0'))
        return { via: 'basic', username: pair.slice(0, colon), password: pair.slice(colon + 1) };
    }
  }
  throw new Unauthorized('The credential is not valid', {
    detail: 'The Authorization header must be "Bearer TOKEN", or Basic with the token as the password',
  });
}

/**
 * Cookies by name. Malformed cookies are ignored, and of several with one name the first counts, which is the most
 * specific (RFC 6265, section 5.4).
 */
export function readCookies(header: string | undefined): Cookies {
  const cookies: Record<string, string> = Object.create(null);
  for (const pair of header?.split(';') ?? []) {
    const equals = pair.indexOf('=');
    const name = pair.slice(0, Math.max(0, equals)).trim();
    const value = pair
      .slice(equals + 1)
      .trim()
      .replace(/^"(.*)"$/, '$1');
    if (name !== '' && cookies[name] === undefined && /^[\x21-\x7e]*$/.test(value)) cookies[name] = value;
  }
  return cookies;
}

export interface CsrfProtection {
  /** Whether the headers show that a page of another site made the browser send the request. */
  isCrossSite(headers: IncomingHttpHeaders): boolean;
  /** @throws {Forbidden} `csrf_rejected`, if our cookies authenticate the request and its headers show another site. */
  check(headers: IncomingHttpHeaders, cookies: Cookies): void;
  /** As `check`, but also without cookies: a form of another site could sign its user in as somebody else. */
  checkForm(headers: IncomingHttpHeaders): void;
  /**
   * As `check`, for opening a WebSocket with a cookie. Browsers allow that from any site, so the `Origin` header must
   * be present and be one of our own (RFC 6455, section 10.2).
   */
  checkUpgrade(headers: IncomingHttpHeaders): void;
}

/** The CSRF rule for state-changing requests that cookies authenticate, given the public URLs of the instance. */
export function csrfProtection(urls: readonly string[]): CsrfProtection {
  const own = new Set(urls.map((url) => new URL(url).origin));
  const rejected = (how: string): Forbidden =>
    new Forbidden('The request comes from another site', {
      code: 'csrf_rejected',
      detail: `Send it from a page of this instance, or with ${how}`,
    });
  const isCrossSite = ({ origin, 'sec-fetch-site': site }: IncomingHttpHeaders): boolean =>
    origin === undefined ? site !== undefined && site !== 'same-origin' && site !== 'none' : !own.has(origin);
  const checkForm = (headers: IncomingHttpHeaders): void => {
    if (isCrossSite(headers)) throw rejected('an Authorization header');
  };
  return {
    isCrossSite,
    checkForm,
    check(headers, cookies) {
      if (headers.authorization === undefined && Object.keys(cookies).some((name) => name.startsWith(ourPrefix)))
        checkForm(headers);
    },
    checkUpgrade({ origin }) {
      if (origin === undefined || !own.has(origin)) throw rejected('a bearer token instead of the cookie');
    },
  };
}

export interface Identifying {
  readonly currentCaller: CurrentCaller;
  readonly authenticator: Authenticator;
  readonly admission: Admission;
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
  /** Given for pages, which accept a page token in place of an expired access token. */
  readonly pageSessions?: () => PageSessions | undefined;
  /** As `guard`, called only if a cookie authenticates. */
  readonly guardCookie?: (headers: IncomingHttpHeaders) => void;
  /**
   * Called when the caller is known and the budget is charged. Throws if the operation does not exist for the caller.
   */
  readonly known?: (request: Request) => Promise<void>;
}

/** The context that the authenticator receives beside the credential. */
type ProofContext = Parameters<Authenticator['authenticate']>[1];

const alreadyCharged = (): Promise<void> => Promise.resolve();

/**
 * Returns the rate decision, or undefined if the request is not limited. Sets the caller of the exchange. A rejected
 * credential is charged to the client's address, and a password is charged before it is checked, so that no hash is
 * computed over budget.
 */
export function identifier(
  { meter, basic, ownCredentials, presented, guard, guardCookie, pageSessions, known }: Identified,
  { authenticator, admission: { limiter }, currentCaller }: Identifying,
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
    const { [sessionCookie]: token = '', [pageCookie]: pageToken = '' } = cookies;
    if (token === '' && (pageToken === '' || pageSessions === undefined)) return undefined;
    guardCookie?.(headers);
    return byCookies(token, pageToken, exchange);
  };

  /** Browsers send an expired cookie even to the routes that renew it, so a bad cookie counts as anonymous. */
  const byCookies = async (token: string, pageToken: string, exchange: Exchange): Promise<void> => {
    if (token !== '' && (await byCookie(token, exchange))) return;
    const sessions = pageToken === '' ? undefined : pageSessions?.();
    if (sessions === undefined) return;
    exchange.pageSession = (await sessions.renew(pageToken, exchange.now)) ?? 'ended';
    if (exchange.pageSession !== 'ended') await byCookie(exchange.pageSession.accessToken, exchange);
  };

  /** @returns whether the token is valid. */
  const byCookie = async (token: string, exchange: Exchange): Promise<boolean> => {
    try {
      await authenticate({ via: 'cookie', token }, exchange, alreadyCharged);
    } catch (error) {
      if (!(error instanceof Unauthorized)) throw error;
      return false;
    }
    exchange.cookieToken = token;
    return true;
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
    const rate = await take();
    if (known !== undefined)
      await currentCaller.run(callerKey(exchange.caller, exchange.ip), async () => known(request));
    // A user over their budget keeps the charge on the address; otherwise each refused request would cost a hash.
    if (charged && meter !== 'none' && rate?.refusal === undefined) await limiter.giveBack(meter, metered(request));
    return rate;
  };

  // Until the caller is known, the work counts for the client's address.
  return (request, exchange, cookies) =>
    currentCaller.run(callerKey(exchange.caller, exchange.ip), () => identify(request, exchange, cookies));
}

/** The cookies that renew the session of a browser, or remove the one of an ended session. */
export function pageSessionCookies(session: PageSession | 'ended'): readonly Cookie[] {
  const common = { sameSite: 'Lax', path: '/' } as const;
  if (session === 'ended') return [{ ...common, name: pageCookie, value: '', maxAgeSeconds: 0 }];
  const { accessToken, pageToken, lifetimes } = session;
  return [
    { ...common, name: sessionCookie, value: accessToken, maxAgeSeconds: lifetimes.accessSeconds },
    { ...common, name: pageCookie, value: pageToken, maxAgeSeconds: lifetimes.refreshSeconds },
  ];
}
