// The endpoints of tokens: issuing (RFC 6749), revocation (RFC 7009), introspection (RFC 7662), and the claims about
// the user (OpenID Connect Core, section 5.3).
import { anyone, api, reply, signedIn, type Route } from 'hexforge/plugin';
import type { OAuthUseCases } from '#core/oauth/use-cases';
import { oauthRefusals, uncached } from '../protocol.ts';
import { presentIntrospection, presentTokens } from './present.ts';
import { claimsJson, introspectionJson, noSecrets, tokenForm, tokenJson, tokenReferenceForm } from './schemas.ts';

/** The common members of routes whose caller is the client, which authenticates itself. */
const ofClients = {
  ...oauthRefusals,
  access: anyone,
  scope: null,
  method: 'POST',
  form: true,
  ownCredentials: true,
  query: noSecrets,
} as const;

/** The client authentication of a request: the Authorization header, or two fields of the form. */
const proofOf = (
  header: (name: string) => string | undefined,
  body: { readonly client_id?: string; readonly client_secret?: string },
) => ({ authorization: header('authorization'), clientId: body.client_id, clientSecret: body.client_secret });

export const tokenRoutes = (
  { token, revoke, introspect, userinfo, open }: OAuthUseCases,
  issuer: () => string,
): readonly Route[] => [
  api({
    ...ofClients,
    open,
    id: 'oauthToken',
    summary: 'Exchange an authorization code or a refresh token (RFC 6749)',
    path: '/oauth2/token',
    cors: true,
    body: tokenForm,
    result: tokenJson,
    run: async (call, { body, header }) =>
      reply(presentTokens(await token(call, proofOf(header, body), body)), { headers: uncached }),
  }),
  api({
    ...ofClients,
    open,
    id: 'oauthRevoke',
    summary: 'Revoke a token, whether or not there is such a one (RFC 7009)',
    path: '/oauth2/revoke',
    cors: true,
    body: tokenReferenceForm,
    success: 200,
    result: 'empty',
    async run(call, { body, header }) {
      await revoke(call, proofOf(header, body), body);
      return reply(undefined, { headers: uncached });
    },
  }),
  api({
    ...ofClients,
    open,
    id: 'oauthIntrospect',
    summary: 'What a token of the client is worth (RFC 7662)',
    path: '/oauth2/introspect',
    body: tokenReferenceForm,
    result: introspectionJson,
    run: async (call, { body, header }) => {
      const found = await introspect(call, proofOf(header, body), body);
      return reply(presentIntrospection(found, issuer()), { headers: uncached });
    },
  }),
  ...(['GET', 'POST'] as const).map((method) =>
    api({
      ...oauthRefusals,
      open,
      id: method === 'GET' ? 'oauthUserinfo' : 'oauthUserinfoPost',
      summary: 'What the scopes of the token let an application know of its user',
      method,
      path: '/oauth2/userinfo',
      // Both methods only read.
      meter: 'api.read',
      access: signedIn,
      scope: 'openid',
      cors: true,
      result: claimsJson,
      run: async (call) => reply(await userinfo(call), { headers: uncached }),
    }),
  ),
];
