// Issues tokens: an access token, the next refresh token of the family, and an ID token if `openid` is granted.
import { secondsAfter, type AccountClaims } from '#core/identity/index';
import { claimsOf } from '../model/claims.ts';
import type { Client } from '../model/client.ts';
import { accessTokens, refreshTokens, type Family } from '../model/grant.ts';
import type { SigningKeys } from './keys.ts';
import type { OAuthParts } from '../model/parts.ts';

/** The content of a token response. `expiresIn` is in seconds. */
export interface TokenResponse {
  readonly accessToken: string;
  readonly expiresIn: number;
  readonly scopes: readonly string[];
  readonly refreshToken: string | undefined;
  readonly idToken: string | undefined;
}

/** Values that are read before the unit of work starts. */
export interface Ready {
  /** Lifetimes in seconds. If `refresh` is 0, no refresh token is issued. */
  readonly access: number;
  readonly refresh: number;
  /** Signs the ID token. Undefined if `openid` is not granted. */
  readonly sign: Awaited<ReturnType<SigningKeys['signing']>> | undefined;
}

/** The dependencies of the functions that issue tokens. */
export type IssuingParts = OAuthParts & { readonly signingKeys: Pick<SigningKeys, 'signing'> };

/** Must be called before the unit of work, because a signing key may have to be generated. */
export const prepareTokens = async (
  { settings, signingKeys }: IssuingParts,
  scopes: readonly string[],
  now: Date,
): Promise<Ready> => ({
  access: await settings.get('oauth2.access_token_ttl'),
  refresh: await settings.get('oauth2.refresh_token_ttl'),
  sign: scopes.includes('openid') ? await signingKeys.signing(now) : undefined,
});

/**
 * Must run inside the unit of work that uses up the code or refresh token. Everything that can fail happens in it:
 * after a failure the client retries, and a token that was used up by then would be treated as stolen.
 */
export async function issueTokens(
  { issued, digests, ids, baseUrl }: OAuthParts,
  { access, refresh, sign }: Ready,
  about: {
    readonly client: Client;
    readonly account: AccountClaims;
    readonly family: Pick<Family, 'id' | 'authTime' | 'expiresAt'>;
    readonly scopes: readonly string[];
    readonly nonce: string | null;
    readonly now: Date;
  },
): Promise<TokenResponse> {
  const { client, account, family, scopes, nonce, now } = about;
  const accessToken = accessTokens.mint(ids);
  const ends = (after: number): Date =>
    new Date(Math.min(secondsAfter(now, after).getTime(), family.expiresAt.getTime()));
  const expiresAt = ends(access);
  await issued.insertAccessToken({
    id: ids.uuid(),
    hash: digests.hash(accessToken),
    familyId: family.id,
    scopes,
    createdAt: now,
    expiresAt,
  });
  const refreshToken = refresh === 0 ? undefined : refreshTokens.mint(ids);
  if (refreshToken !== undefined)
    await issued.insertRefreshToken({
      hash: digests.hash(refreshToken),
      familyId: family.id,
      createdAt: now,
      expiresAt: ends(refresh),
    });
  const expiresIn = Math.floor((expiresAt.getTime() - now.getTime()) / 1000);
  const issuedAt = seconds(now);
  // OpenID Connect Core, section 2: the user, and the time of the sign-in.
  const idToken = await sign?.({
    iss: baseUrl,
    aud: client.clientId,
    exp: issuedAt + expiresIn,
    iat: issuedAt,
    auth_time: seconds(family.authTime),
    ...(nonce !== null && { nonce }),
    at_hash: digests.half(accessToken),
    ...claimsOf(account, scopes),
  });
  return { accessToken, expiresIn, scopes, refreshToken, idToken };
}

const seconds = (time: Date): number => Math.floor(time.getTime() / 1000);
