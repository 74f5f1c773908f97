// The discovery routes: metadata of the authorization server and of protected resources, and the signing keys.
import {
  anyone,
  api,
  flag,
  found,
  list,
  maybe,
  NotFound,
  oneOf,
  reply,
  shape,
  word,
  type Route,
} from 'hexforge/plugin';
import type { OAuthUseCases } from '#core/oauth/use-cases';
import { oauthRefusals } from '../protocol.ts';

const names = () => list(word());

const metadataJson = shape({
  issuer: word(),
  authorization_endpoint: word(),
  token_endpoint: word(),
  revocation_endpoint: word(),
  introspection_endpoint: word(),
  userinfo_endpoint: word(),
  jwks_uri: word(),
  registration_endpoint: maybe(word().description('Where applications may register themselves')),
  response_types_supported: names(),
  response_modes_supported: names(),
  grant_types_supported: names(),
  code_challenge_methods_supported: names(),
  scopes_supported: names(),
  token_endpoint_auth_methods_supported: names(),
  revocation_endpoint_auth_methods_supported: names(),
  introspection_endpoint_auth_methods_supported: names(),
  subject_types_supported: names(),
  id_token_signing_alg_values_supported: names(),
  claims_supported: names(),
  prompt_values_supported: names(),
  request_parameter_supported: flag(),
  request_uri_parameter_supported: flag(),
  authorization_response_iss_parameter_supported: flag(),
}).id('AuthorizationServerMetadata');

const protectedResourceJson = shape({
  resource: word(),
  authorization_servers: names(),
  bearer_methods_supported: names(),
  scopes_supported: names(),
}).id('ProtectedResourceMetadata');

const keyJson = shape({
  kty: oneOf('RSA'),
  kid: word(),
  use: oneOf('sig'),
  alg: oneOf('RS256'),
  n: word(),
  e: word(),
});

const common = { ...oauthRefusals, method: 'GET', mount: 'root', access: anyone, scope: null, cors: true } as const;
/** Not cached, because the metadata depends on a setting. */
const uncached = { headers: { 'cache-control': 'no-store' } } as const;
/** In seconds. Shorter than the time for which a rotated key is still published. */
const keysAge = 300;
const nothing = 'There is nothing at this path';

const metadataDocuments = [
  {
    name: 'oauth-authorization-server',
    id: 'oauthMetadata',
    summary: 'Metadata of the authorization server (RFC 8414)',
  },
  { name: 'openid-configuration', id: 'openidConfiguration', summary: 'The same, where OpenID Connect looks for it' },
] as const;

export const discoveryRoutes = ({ discovery, keys, open }: OAuthUseCases): readonly Route[] => [
  ...metadataDocuments.flatMap(({ name, id, summary }) => [
    api({
      ...common,
      id,
      summary,
      path: `/.well-known/${name}` as '/',
      open,
      result: metadataJson,
      run: async () => reply(await discovery.metadata(), uncached),
    }),
    api({
      ...common,
      id: `${id}OfPath`,
      summary: 'The same, where the base URL has a path: it comes after the name (RFC 8414, section 3.1)',
      path: `/.well-known/${name}/{path*}` as '/{path*}',
      hidden: true,
      open,
      result: metadataJson,
      async run(_call, { params: { path } }) {
        if (!discovery.isBasePath(path)) throw new NotFound(nothing);
        return reply(await discovery.metadata(), uncached);
      },
    }),
  ]),
  api({
    ...common,
    id: 'oauthProtectedResource',
    summary: 'Metadata of the MCP endpoint of a repository (RFC 9728), whether there is one or not',
    path: '/.well-known/oauth-protected-resource/api/v1/mcp/{owner}/{repo}',
    open,
    result: protectedResourceJson,
    statuses: [404],
    run: (_call, { params }) => reply(found(discovery.protectedResource(params), nothing), uncached),
  }),
  api({
    ...common,
    id: 'oauthProtectedResourceOfPath',
    summary: 'The same, where the base URL has a path (RFC 9728, section 3.1)',
    path: '/.well-known/oauth-protected-resource/{path*}',
    hidden: true,
    open,
    result: protectedResourceJson,
    run: (_call, { params: { path } }) => reply(found(discovery.protectedResourceAt(path), nothing), uncached),
  }),
  api({
    ...common,
    id: 'oauthKeys',
    summary: 'The keys that ID tokens are signed with (RFC 7517)',
    path: '/.well-known/jwks.json',
    result: shape({ keys: list(keyJson) }).id('KeySet'),
    run: async (call) =>
      reply({ keys: await keys.published(call.now) }, { headers: { 'cache-control': `public, max-age=${keysAge}` } }),
  }),
];
