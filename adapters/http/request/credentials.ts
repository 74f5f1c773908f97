// Reads the credentials of a request from the Authorization header and cookies, and protects requests that are
// authenticated by our cookies against CSRF.
import type { IncomingHttpHeaders } from 'node:http';
import type { Presented } from '#core/kernel/access/credentials';
import { Forbidden, Unauthorized } from '#core/kernel/errors';

/** The session cookie. All of our cookies share its prefix. */
export const sessionCookie = 'svc_access_token';
const ourPrefix = 'svc_';

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
  /** @throws {Forbidden} `csrf_rejected`, if our cookies authenticate the request and its headers show another site. */
  check(headers: IncomingHttpHeaders, cookies: Readonly<Record<string, string>>): void;
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
