// Sign-in at OpenID providers (OpenID Connect Core 1.0): the code flow with PKCE, nonce and checks of the issuer.
import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  ClientSecretBasic,
  ClientSecretPost,
  clockTolerance,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  fetchUserInfo,
  type Configuration,
  type CustomFetch,
} from 'openid-client';
import type { Identified } from '#core/kernel/access/sign-in-flows';
import { isLoopback } from './addresses.ts';
import { Fault } from './faults.ts';
import { checkIdToken, clockToleranceSeconds, headerOf, type Claims } from './id-token.ts';
import type { Keys } from './keys.ts';
import { authenticationOf, isOfTemplate, isTemplate, type Metadata } from './metadata.ts';
import type { KeptSecrets, Provider, ProviderAnswer } from './provider.ts';
import { isObject, request } from './requests.ts';
import { isIncomplete, isVerifiedByMicrosoft, isVerifiedEmail, shownClaims, userOf } from './user.ts';

/**
 * The library accepts issuers that are templates only from Microsoft's own server. Other servers have such metadata in
 * tests and in national clouds.
 */
const microsoft = new URL('https://login.microsoftonline.com/common/v2.0');

/** The library's configuration of one step of a sign-in. It asks no server for it. */
async function configured(provider: Provider, metadata: Metadata, fetch: CustomFetch): Promise<Configuration> {
  const { clientId, clientSecret, address } = provider;
  const template = isTemplate(metadata.issuer);
  const post = authenticationOf(metadata) === 'client_secret_post';
  const config = await discovery(
    template ? microsoft : new URL(metadata.issuer),
    clientId,
    { [clockTolerance]: clockToleranceSeconds },
    post ? ClientSecretPost(clientSecret) : ClientSecretBasic(clientSecret),
    {
      // `checkIssuerParameter` compares the issuer of the answer with a template.
      [customFetch]: async () =>
        Response.json(template ? { ...metadata, authorization_response_iss_parameter_supported: false } : metadata),
      execute: [enableNonRepudiationChecks, ...(isLoopback(address) ? [allowInsecureRequests] : [])],
    },
  );
  config[customFetch] = fetch;
  return config;
}

const noRequests: CustomFetch = () => Promise.reject(new Fault('unavailable', 'this step sends no request'));

/** The URL to which the browser is sent. */
export async function authorizationUrl(
  provider: Provider,
  metadata: Metadata,
  { verifier, nonce }: KeptSecrets,
  state: string,
): Promise<string> {
  const { href } = buildAuthorizationUrl(await configured(provider, metadata, noRequests), {
    redirect_uri: provider.redirectUri,
    scope: provider.scopes,
    code_challenge: await calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    state,
    nonce,
  });
  return href;
}

export interface Identifying {
  readonly provider: Provider;
  readonly metadata: Metadata;
  readonly keys: Keys;
  readonly signal: AbortSignal;
}

/** Exchanges the code, and verifies the ID token. @throws {Fault}; errors of the library for an invalid answer. */
export async function identifyByOpenid(
  { provider, metadata, keys, signal }: Identifying,
  { verifier, nonce }: KeptSecrets,
  answer: ProviderAnswer,
): Promise<Identified> {
  const { code = '', iss } = answer;
  const template = isTemplate(metadata.issuer);
  if (template) checkIssuerParameter(metadata, iss);
  let header: Readonly<Record<string, unknown>> = {};
  const fetch: CustomFetch = async (url, options) => {
    // The library asks for the keys in each sign-in, after the token.
    if (url === metadata.jwks_uri && options.method === 'GET')
      return Response.json({ keys: await keys.of(url, keyId(header), signal) });
    const received = await request(url, options, { loopback: isLoopback(provider.address), signal });
    if (url === metadata.token_endpoint && options.method === 'POST') header = headerOf(await idTokenIn(received));
    return received;
  };
  const config = await configured(provider, metadata, fetch);
  const returned = new URL(provider.redirectUri);
  returned.searchParams.set('code', code);
  if (iss !== undefined && !template) returned.searchParams.set('iss', iss);
  const tokens = await authorizationCodeGrant(config, returned, {
    pkceCodeVerifier: verifier,
    expectedNonce: nonce,
    idTokenExpected: true,
  });
  if (tokens.token_type !== 'bearer') throw new Fault('invalid', 'the access token is not a bearer token');
  const claims = tokens.claims() as Claims | undefined;
  if (claims === undefined) throw new Fault('invalid', 'there is no ID token');
  checkIdToken(claims, {
    clientId: provider.clientId,
    issuer: metadata.issuer,
    algorithm: header['alg'],
    accessToken: tokens.access_token,
    now: Date.now() / 1000,
  });
  if (template && iss !== undefined && iss !== claims['iss'])
    throw new Fault('invalid', '"iss" of the callback is not the issuer of the ID token');
  const info: Claims =
    isIncomplete(claims) && metadata.userinfo_endpoint !== undefined
      ? await fetchUserInfo(config, tokens.access_token, String(claims['sub']))
      : {};
  const isVerified = provider.kind === 'microsoft' ? isVerifiedByMicrosoft : isVerifiedEmail;
  return { user: userOf(claims, info, isVerified), claims: shownClaims({ ...info, ...claims }) };
}

/** RFC 9207, section 2.4, for issuers that differ by tenant. For others the library checks it. */
function checkIssuerParameter(metadata: Metadata, iss: string | undefined): void {
  if (iss === undefined && metadata.authorization_response_iss_parameter_supported)
    throw new Fault('invalid', '"iss" of the callback is missing');
  if (iss !== undefined && !isOfTemplate(metadata.issuer, iss))
    throw new Fault('invalid', '"iss" of the callback is another issuer');
}

const keyId = ({ kid }: Readonly<Record<string, unknown>>): string | undefined =>
  typeof kid === 'string' ? kid : undefined;

async function idTokenIn(received: Response): Promise<unknown> {
  const json: unknown = await received
    .clone()
    .json()
    .catch(() => undefined);
  return isObject(json) ? json['id_token'] : undefined;
}
