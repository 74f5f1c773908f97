// The route of dynamic client registration (RFC 7591).
import {
  anyone,
  api,
  count,
  Joi,
  list,
  maybe,
  oneOf,
  reply,
  shape,
  word,
  type Route,
  type TypeOf,
} from 'hexforge/plugin';
import { authMethods, isConfidential } from 'hexforge/oauth';
import type { NewClient, OAuthUseCases } from '#core/oauth/use-cases';
import { errorMembers, uncached, wording } from '../protocol.ts';

/**
 * A member of any type, because the use case rejects it with the specific error of RFC 7591. Unknown members are
 * ignored.
 */
const member = () => maybe(Joi.any());

const metadataBody = shape({
  redirect_uris: member().description('Each https, or http on a loopback address'),
  token_endpoint_auth_method: member().description('Omitted: none'),
  client_name: member(),
  scope: member(),
  grant_types: member(),
  response_types: member(),
})
  .options({ stripUnknown: true })
  .id('ClientMetadata');

const clientInformationJson = shape({
  client_id: word(),
  client_id_issued_at: count().description('Unix seconds'),
  client_secret: maybe(word().description('Of a confidential client, in this answer alone')),
  client_secret_expires_at: maybe(count().description('0: never')),
  redirect_uris: list(word()),
  token_endpoint_auth_method: oneOf(...authMethods),
  grant_types: list(word()),
  response_types: list(word()),
  client_name: word(),
  scope: word(),
}).id('ClientInformation');

const present = ({ client, secret }: NewClient): TypeOf<typeof clientInformationJson> => ({
  client_id: client.clientId,
  client_id_issued_at: Math.floor(client.createdAt.getTime() / 1000),
  ...(secret !== undefined && isConfidential(client) && { client_secret: secret, client_secret_expires_at: 0 }),
  redirect_uris: client.redirectUris,
  token_endpoint_auth_method: client.authMethod,
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  client_name: client.name,
  scope: client.scopes.join(' '),
});

export const registrationRoutes = ({ registration, open }: OAuthUseCases): readonly Route[] => [
  api({
    id: 'oauthRegister',
    summary: 'Register an application (RFC 7591), where the setting oauth2.dcr.enabled allows it',
    method: 'POST',
    path: '/oauth2/register',
    access: anyone,
    scope: 'admin.oauth',
    cors: true,
    there: (call) => registration.there(call),
    open,
    refusal: wording('invalid_client_metadata'),
    errorMembers,
    body: metadataBody,
    maxBytes: 65_536,
    success: 201,
    result: clientInformationJson,
    statuses: [404],
    run: async (call, { body }) => reply(present(await registration.register(call, body)), { headers: uncached }),
  }),
];
