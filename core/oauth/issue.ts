// Issues tokens: an access token, the next refresh token of its family, and an ID token where `openid` was granted.
import { secondsAfter, type AccountClaims } from '#core/identity/index';
import { claimsOf } from './claims.ts';
import type { Client } from './client.ts';
import { accessTokens, refreshTokens, type Family } from './grant.ts';
import type { SigningKeys } from './keys.ts';
import type { OAuthParts } from './parts.ts';

/** Document A, "Token response". */
export interface TokenResponse {
  readonly accessToken: string;
  readonly expiresIn: number;
  readonly scopes: readonly string[];
  readonly refreshToken: string | undefined;
  readonly idToken: string | undefined;
}

/** Of a response, what is written with the change that allows it. */
export type Issued = Omit<TokenResponse, 'idToken'>;

export function issuing(parts: OAuthParts, keys: SigningKeys) {
  const { issued, digests, settings, ids, baseUrl } = parts;
  return {
    /** How long tokens live that are issued now, in seconds; no refresh tokens where that is 0. */
    lifetimes: async () => ({
      access: await settings.get('oauth2.access_token_ttl'),
      refresh: await settings.get('oauth2.refresh_token_ttl'),
    }),

    /** Inside the unit of work that took the code or refresh token. */
    async tokens(
      family: Pick<Family, 'id' | 'expiresAt'>,
      scopes: readonly string[],
      now: Date,
      seconds: { readonly access: number; readonly refresh: number },
    ): Promise<Issued> {
      const accessToken = accessTokens.mint(ids);
      const ends = (after: number): Date =>
        new Date(Math.min(secondsAfter(now, after).getTime(), family.expiresAt.getTime()));
      const expiresAt = ends(seconds.access);
      await issued.insertAccessToken({
        id: ids.uuid(),
        hash: digests.hash(accessToken),
        familyId: family.id,
        scopes,
        createdAt: now,
        expiresAt,
      });
      const refreshToken = seconds.refresh === 0 ? undefined : refreshTokens.mint(ids);
      if (refreshToken !== undefined)
        await issued.insertRefreshToken({
          hash: digests.hash(refreshToken),
          familyId: family.id,
          createdAt: now,
          expiresAt: ends(seconds.refresh),
        });
      return {
        accessToken,
        expiresIn: Math.floor((expiresAt.getTime() - now.getTime()) / 1000),
        scopes,
        refreshToken,
      };
    },

    /** OpenID Connect Core, section 2. Undefined where `openid` was not granted. */
    async idToken(
      { accessToken, expiresIn, scopes }: Issued,
      about: {
        readonly client: Client;
        readonly account: AccountClaims;
        readonly authTime: Date;
        readonly nonce: string | null;
        readonly now: Date;
      },
    ): Promise<string | undefined> {
      if (!scopes.includes('openid')) return undefined;
      const issuedAt = seconds(about.now);
      return keys.sign(
        {
          iss: baseUrl,
          aud: about.client.clientId,
          exp: issuedAt + expiresIn,
          iat: issuedAt,
          auth_time: seconds(about.authTime),
          ...(about.nonce !== null && { nonce: about.nonce }),
          at_hash: digests.half(accessToken),
          ...claimsOf(about.account, scopes),
        },
        about.now,
      );
    },
  };
}
/** What issues tokens. */
export type Issuing = ReturnType<typeof issuing>;

const seconds = (time: Date): number => Math.floor(time.getTime() / 1000);
