// Reads the parameter `id_token_hint` (OpenID Connect Core, section 3.1.2.1).

/**
 * The user that an ID token of this instance names; undefined for any other text. The signature is not verified: the
 * hint can only refuse a request of another user, so a forged one gains nothing.
 */
export function hintedUser(token: string, issuer: string): string | undefined {
  const [, payload = ''] = token.split('.');
  let claims: unknown;
  try {
    claims = JSON.parse(atob(payload.replaceAll('-', '+').replaceAll('_', '/')));
  } catch {
    return undefined;
  }
  if (typeof claims !== 'object' || claims === null) return undefined;
  const { iss, sub } = claims as { readonly iss?: unknown; readonly sub?: unknown };
  return iss === issuer && typeof sub === 'string' ? sub : undefined;
}
