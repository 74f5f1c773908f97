// Converts issued and introspected tokens to JSON.
import type { Introspection, TokenResponse } from '#core/oauth/use-cases';
import type { IntrospectionJson, TokenJson } from './schemas.ts';

export const presentTokens = (issued: TokenResponse): TokenJson => ({
  access_token: issued.accessToken,
  token_type: 'Bearer',
  expires_in: issued.expiresIn,
  scope: issued.scopes.join(' '),
  ...(issued.refreshToken !== undefined && { refresh_token: issued.refreshToken }),
  ...(issued.idToken !== undefined && { id_token: issued.idToken }),
});

export function presentIntrospection(found: Introspection | undefined, issuer: string): IntrospectionJson {
  if (found === undefined) return { active: false };
  const seconds = (time: Date): number => Math.floor(time.getTime() / 1000);
  return {
    active: true,
    scope: found.scopes.join(' '),
    client_id: found.clientId,
    username: found.username,
    ...(found.id !== undefined && { token_type: 'Bearer' }),
    exp: seconds(found.expiresAt),
    iat: seconds(found.createdAt),
    sub: found.userId,
    // A token without a resource is valid for the REST API, whose audience is the issuer.
    aud: found.resource === '' ? issuer : found.resource,
    iss: issuer,
    ...(found.id !== undefined && { jti: found.id }),
  };
}
