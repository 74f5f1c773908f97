// The claims about a user that an application receives, by scope (OpenID Connect Core, section 5.4).
import type { AccountClaims } from '#core/identity/index';

/** The claims of an ID token and of the userinfo endpoint. */
export interface Claims {
  /** The id of the user. Not the username, because a username may later belong to another user. */
  readonly sub: string;
  readonly preferred_username?: string;
  readonly name?: string;
  readonly picture?: string;
  /** In seconds since the Unix epoch. */
  readonly updated_at?: number;
  readonly email?: string;
  readonly email_verified?: boolean;
}

export function claimsOf(account: AccountClaims, scopes: readonly string[] | 'all'): Claims {
  const has = (scope: string): boolean => scopes === 'all' || scopes.includes(scope);
  const { id, username, displayName, avatarUrl, email, emailVerified, updatedAt } = account;
  return {
    sub: id,
    ...(has('profile') && {
      preferred_username: username,
      name: displayName === '' ? username : displayName,
      ...(avatarUrl !== '' && { picture: avatarUrl }),
      updated_at: Math.floor(updatedAt.getTime() / 1000),
    }),
    ...(has('email') && { email, email_verified: emailVerified }),
  };
}
