// The cookies of a session.
import type { Cookie } from 'hexforge/plugin';
import type { SignedIn } from '#core/identity/use-cases';

/** `Secure` is added if the base URL uses HTTPS. */
export const accessCookie = { name: 'svc_access_token', sameSite: 'Lax', path: '/' } as const;
export const refreshCookie = { name: 'svc_refresh_token', sameSite: 'Strict', path: '/api/v1/auth' } as const;
/**
 * Keeps a browser signed in on pages. It is set by pages alone: clients of REST renew their session by refreshing. A
 * sign-in by REST removes it, because it may be that of another account.
 */
const pageCookie = { name: 'svc_page_session', sameSite: 'Lax', path: '/' } as const;

const without = (...all: readonly Pick<Cookie, 'name' | 'sameSite' | 'path'>[]) =>
  all.map((cookie): Cookie => ({ ...cookie, value: '', maxAgeSeconds: 0 }));
export const cookies = ({ accessToken, refreshToken, lifetimes }: SignedIn): Cookie[] => [
  { ...accessCookie, value: accessToken, maxAgeSeconds: lifetimes.accessSeconds },
  { ...refreshCookie, value: refreshToken, maxAgeSeconds: lifetimes.refreshSeconds },
];
/** @param sent the header `Cookie` of the request. */
export const cookiesOfRest = (opened: SignedIn, sent = ''): Cookie[] =>
  sent.includes(`${pageCookie.name}=`) ? [...cookies(opened), ...without(pageCookie)] : cookies(opened);
export const pageCookies = (opened: SignedIn): Cookie[] => [
  ...cookies(opened),
  { ...pageCookie, value: opened.pageToken, maxAgeSeconds: opened.lifetimes.refreshSeconds },
];
/** The page token ends with its session, so a sign-out by REST need not remove its cookie. */
export const cleared = without(accessCookie, refreshCookie);
export const clearedOfPages = without(accessCookie, refreshCookie, pageCookie);
