// The token endpoint (RFC 6749).
import { api, reply, type Route } from 'hexforge/plugin';
import type { OAuthUseCases, TokenResponse } from '#core/oauth/use-cases';
import { ofClients, proofOf, uncached } from '../client-proof.ts';
import { oauthRefusals } from '../refusal.ts';
import { tokenForm, tokenJson, type TokenJson } from './schemas.ts';

const present = ({ accessToken, expiresIn, scopes, refreshToken, idToken }: TokenResponse): TokenJson => ({
  access_token: accessToken,
  token_type: 'Bearer',
  expires_in: expiresIn,
  scope: scopes.join(' '),
  ...(refreshToken !== undefined && { refresh_token: refreshToken }),
  ...(idToken !== undefined && { id_token: idToken }),
});

export const tokenRoutes = ({ token, open }: OAuthUseCases): readonly Route[] => [
  api({
    ...ofClients,
    ...oauthRefusals,
    open,
    id: 'oauthToken',
    summary: 'Exchange an authorization code or a refresh token (RFC 6749)',
    path: '/oauth2/token',
    cors: true,
    body: tokenForm,
    result: tokenJson,
    run: async (call, { body, header }) =>
      reply(present(await token(call, proofOf(header, body), body)), { headers: uncached }),
  }),
];
