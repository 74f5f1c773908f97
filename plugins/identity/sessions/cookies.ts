// The cookies of a session.
import type { Cookie } from 'hexforge/plugin';
import type { SignedIn } from '#core/identity/use-cases';

/** `Secure` is added if the base URL uses HTTPS. */
export const accessCookie = { name: 'svc_access_token', sameSite: 'Lax', path: '/' } as const;
export const refreshCookie = { name: 'svc_refresh_token', sameSite: 'Strict', path: '/api/v1/auth' } as const;

export const cookies = ({ accessToken, refreshToken, lifetimes }: SignedIn): Cookie[] => [
  { ...accessCookie, value: accessToken, maxAgeSeconds: lifetimes.accessSeconds },
  { ...refreshCookie, value: refreshToken, maxAgeSeconds: lifetimes.refreshSeconds },
];
export const cleared: readonly Cookie[] = [accessCookie, refreshCookie].map((cookie) => ({
  ...cookie,
  value: '',
  maxAgeSeconds: 0,
}));
