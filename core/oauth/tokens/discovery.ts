// Metadata documents of the authorization server (RFC 8414, RFC 9728, OpenID Connect Discovery).
import type { OAuthParts } from '../model/parts.ts';
import { canonicalResource, mcpResource } from '../model/resource.ts';
import { knownScopes } from '../model/scopes.ts';

/** The claims of ID tokens and of the userinfo endpoint. */
const claims =
  'iss sub aud exp iat auth_time nonce at_hash preferred_username name picture updated_at email email_verified'.split(
    ' ',
  );

/** Built from the configured external URLs only, never from values of a request. */
export function discovery({ settings, scopes, baseUrl, webUrl }: OAuthParts) {
  const endpoint = (name: string): string => `${baseUrl}/api/v1/oauth2/${name}`;
  const resourceMetadata = (resource: string) =>
    canonicalResource(baseUrl, resource) === undefined
      ? undefined
      : {
          resource,
          authorization_servers: [baseUrl],
          bearer_methods_supported: ['header'],
          scopes_supported: ['mcp:read'],
        };
  return {
    async metadata() {
      return {
        issuer: baseUrl,
        authorization_endpoint: `${webUrl}/-/oauth2/authorize`,
        token_endpoint: endpoint('token'),
        revocation_endpoint: endpoint('revoke'),
        introspection_endpoint: endpoint('introspect'),
        userinfo_endpoint: endpoint('userinfo'),
        jwks_uri: `${baseUrl}/.well-known/jwks.json`,
        ...((await settings.get('oauth2.dcr.enabled')) && { registration_endpoint: endpoint('register') }),
        response_types_supported: ['code'],
        response_modes_supported: ['query'],
        grant_types_supported: ['authorization_code', 'refresh_token'],
        code_challenge_methods_supported: ['S256'],
        scopes_supported: knownScopes(scopes),
        token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
        revocation_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
        introspection_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: ['RS256'],
        claims_supported: claims,
        prompt_values_supported: ['none', 'login', 'consent', 'select_account'],
        request_parameter_supported: false,
        request_uri_parameter_supported: false,
        authorization_response_iss_parameter_supported: true,
      };
    },

    /** Whether this is the path of the base URL, which follows the well-known name (RFC 8414, section 3.1). */
    isBasePath: (path: string): boolean => new URL(baseUrl).pathname === `/${path}`,

    /**
     * The metadata of a repository's MCP endpoint. It does not reveal whether the repository exists. Undefined if the
     * names are not valid.
     */
    protectedResource: ({ owner, repo }: { readonly owner: string; readonly repo: string }) =>
      resourceMetadata(mcpResource(baseUrl, owner, repo)),

    /** The same, by the whole path of the URL. */
    protectedResourceAt: (path: string) => resourceMetadata(`${new URL(baseUrl).origin}/${path}`),
  };
}
