// Sign-in at GitHub, which has OAuth 2.0 and a REST API in place of OpenID Connect.
import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  ClientSecretPost,
  Configuration,
  customFetch,
  fetchProtectedResource,
  type CustomFetch,
} from 'openid-client';
import type { Identified } from '#core/kernel/access/sign-in-flows';
import { isLoopback } from './addresses.ts';
import { Fault } from './faults.ts';
import type { KeptSecrets, Provider, ProviderAnswer } from './provider.ts';
import { isObject, jsonObject, request } from './requests.ts';
import { shownClaims, userOfGithub } from './user.ts';

const hosted = 'https://github.com';

export interface GithubEndpoints {
  readonly issuer: string;
  readonly authorization_endpoint: string;
  readonly token_endpoint: string;
  readonly api: string;
}

/** The endpoints of github.com, or of a GitHub Enterprise Server, whose API is below `/api/v3`. */
export function endpointsOf({ address }: Pick<Provider, 'address'>): GithubEndpoints {
  const server = address.replace(/\/$/, '');
  return {
    issuer: `${server}/login/oauth`,
    authorization_endpoint: `${server}/login/oauth/authorize`,
    token_endpoint: `${server}/login/oauth/access_token`,
    api: server === hosted ? 'https://api.github.com' : `${server}/api/v3`,
  };
}

function configured(provider: Provider, fetch?: CustomFetch): Configuration {
  const { clientId, clientSecret, address } = provider;
  const { api: _, ...metadata } = endpointsOf(provider);
  const config = new Configuration(metadata, clientId, {}, ClientSecretPost(clientSecret));
  if (fetch !== undefined) config[customFetch] = fetch;
  if (isLoopback(address)) allowInsecureRequests(config);
  return config;
}

/** The URL to which the browser is sent. */
export async function githubUrl(provider: Provider, { verifier }: KeptSecrets, state: string): Promise<string> {
  const { href } = buildAuthorizationUrl(configured(provider), {
    redirect_uri: provider.redirectUri,
    scope: provider.scopes,
    code_challenge: await calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    state,
  });
  return href;
}

/** Exchanges the code, and asks for the user. @throws {Fault}; errors of the library for an invalid answer. */
export async function identifyByGithub(
  provider: Provider,
  { verifier }: KeptSecrets,
  { code = '', iss }: ProviderAnswer,
  signal: AbortSignal,
): Promise<Identified> {
  const { api, token_endpoint: tokenEndpoint } = endpointsOf(provider);
  const config = configured(provider, async (url, options) => {
    const answer = await request(url, options, { loopback: isLoopback(provider.address), signal });
    return url === tokenEndpoint ? withErrorStatus(answer) : answer;
  });
  const returned = new URL(provider.redirectUri);
  returned.searchParams.set('code', code);
  if (iss !== undefined) returned.searchParams.set('iss', iss);
  const { access_token: token, token_type: type } = await authorizationCodeGrant(config, returned, {
    pkceCodeVerifier: verifier,
  });
  if (type !== 'bearer') throw new Fault('invalid', 'the access token is not a bearer token');
  const ask = (path: string): Promise<Response> =>
    fetchProtectedResource(
      config,
      token,
      new URL(`${api}${path}`),
      'GET',
      null,
      new Headers({ accept: 'application/vnd.github+json', 'x-github-api-version': '2022-11-28' }),
    );
  const answer = await ask('/user');
  if (answer.status !== 200) throw new Fault('refused', `GET /user has status ${answer.status}`);
  const profile = await jsonObject(answer, 'invalid');
  // Without the permission to read addresses the status is 403 or 404. The public address then counts as unverified.
  const listed = await ask('/user/emails?per_page=100');
  const emails: unknown = listed.status === 200 ? await listed.json().catch(() => undefined) : [];
  if (!Array.isArray(emails)) throw new Fault('invalid', 'GET /user/emails is not a list');
  const user = userOfGithub(profile, emails, api === 'https://api.github.com' ? undefined : new URL(api).host);
  return { user, claims: shownClaims({ emails, ...profile }) };
}

/** GitHub answers errors of the token endpoint with the status 200, in place of 400 (RFC 6749, section 5.2). */
async function withErrorStatus(answer: Response): Promise<Response> {
  if (answer.status !== 200) return answer;
  const json: unknown = await answer
    .clone()
    .json()
    .catch(() => undefined);
  return isObject(json) && typeof json['error'] === 'string' ? Response.json(json, { status: 400 }) : answer;
}
