// The credentials of a request, from the Authorization header and cookies, and CSRF protection for requests with our
// cookies (document D, "Accounts, sessions, tokens").
import type { IncomingHttpHeaders } from 'node:http';
import type { Presented } from '#core/kernel/credentials';
import { Forbidden, Unauthorized } from '#core/kernel/errors';

/** The session cookie. All of our cookies share its prefix. */
export const sessionCookie = 'svc_access_token';
const ourPrefix = 'svc_';

const bearerToken = /^[A-Za-z0-9\-._~+/]+=*$/;
const base64 = /^[A-Za-z0-9+/]+={0,2}$/;

/**
 * The credential in an Authorization header; undefined where there is no such header.
 * @throws {Unauthorized} for another scheme or a malformed value: a bad credential is never read as none.
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
 * Cookies by name; what is malformed is as good as absent (RFC 6265, section 5.4: the first of a name is the most
 * specific).
 */
export function readCookies(header: string | undefined): Readonly<Record<string, string>> {
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
  /** @throws {Forbidden} `csrf_rejected`, where a browser says that another site made it send this. */
  check(headers: IncomingHttpHeaders, cookies: Readonly<Record<string, string>>): void;
  /** The same without cookies: a form of another site could sign its reader in as somebody else. */
  checkForm(headers: IncomingHttpHeaders): void;
  /**
   * The same for opening a WebSocket with a cookie, which no browser keeps to its own site: it needs an `Origin` of
   * ours (RFC 6455, section 10.2).
   */
  checkUpgrade(headers: IncomingHttpHeaders): void;
}

/** The rule for state-changing requests that rest on cookies, given the addresses under which the instance is used. */
export function csrfProtection(urls: readonly string[]): CsrfProtection {
  const own = new Set(urls.map((url) => new URL(url).origin));
  const rejected = (how: string): Forbidden =>
    new Forbidden('The request comes from another site', {
      code: 'csrf_rejected',
      detail: `Send it from a page of this instance, or with ${how}`,
    });
  const checkForm = ({ origin, 'sec-fetch-site': site }: IncomingHttpHeaders): void => {
    const good =
      origin === undefined ? site === undefined || site === 'same-origin' || site === 'none' : own.has(origin);
    if (!good) throw rejected('an Authorization header');
  };
  return {
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
