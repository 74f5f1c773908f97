// The introspection endpoint (RFC 7662).
import {
  api,
  count,
  flag,
  maybe,
  oneOf,
  reply,
  shape,
  text,
  uuid,
  word,
  type Route,
  type TypeOf,
} from 'hexforge/plugin';
import type { Introspection, OAuthUseCases } from '#core/oauth/use-cases';
import { ofClients, proofOf, uncached } from '../client-proof.ts';
import { oauthRefusals } from '../refusal.ts';
import { tokenReferenceForm } from '../revocation/routes.ts';

const introspectionJson = shape({
  active: flag(),
  scope: maybe(text()),
  client_id: maybe(word()),
  username: maybe(word()),
  token_type: maybe(oneOf('Bearer')),
  exp: maybe(count()),
  iat: maybe(count()),
  sub: maybe(uuid()),
  aud: maybe(word().description('The resource that the token is bound to')),
  iss: maybe(word()),
  jti: maybe(uuid()),
}).id('Introspection');

const present = (found: Introspection | undefined, issuer: string): TypeOf<typeof introspectionJson> => {
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
};

export const introspectionRoutes = ({ introspect, open }: OAuthUseCases, issuer: () => string): readonly Route[] => [
  api({
    ...ofClients,
    ...oauthRefusals,
    open,
    id: 'oauthIntrospect',
    summary: 'What a token of the client is worth (RFC 7662)',
    path: '/oauth2/introspect',
    body: tokenReferenceForm,
    result: introspectionJson,
    run: async (call, { body, header }) =>
      reply(present(await introspect(call, proofOf(header, body), body), issuer()), { headers: uncached }),
  }),
];
