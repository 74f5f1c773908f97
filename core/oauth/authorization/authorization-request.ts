// Validates the authorization request (RFC 6749, section 4.1.1; RFC 7636; RFC 8707; OpenID Connect Core, section
// 3.1.2.1). The order of the checks determines which error is returned.
import type { Client } from '../model/client.ts';
import { allowedScopes } from '../model/client.ts';
import {
  InvalidClient,
  InvalidRequest,
  InvalidScope,
  InvalidTarget,
  RegistrationNotSupported,
  RequestNotSupported,
  RequestUriNotSupported,
  UnsupportedResponseType,
} from '../model/errors.ts';
import { hintedUser } from './id-token-hint.ts';
import { isRegistered } from '../model/redirect-uri.ts';
import { canonicalResource } from '../model/resource.ts';
import { readScopes } from '../model/scopes.ts';

/** The request parameters. Empty ones are absent. */
export interface AuthorizationParameters {
  readonly client_id?: string;
  readonly redirect_uri?: string;
  readonly response_type?: string;
  readonly response_mode?: string;
  readonly scope?: string;
  readonly state?: string;
  readonly code_challenge?: string;
  readonly code_challenge_method?: string;
  /** A list if the parameter was repeated. */
  readonly resource?: string | readonly string[];
  readonly nonce?: string;
  readonly prompt?: string;
  readonly max_age?: string;
  readonly id_token_hint?: string;
  readonly request?: string;
  readonly request_uri?: string;
  readonly registration?: string;
}

/** The recipient of the response. Once it is known, errors are sent there too. */
export interface Destination {
  readonly client: Client;
  readonly redirectUri: string;
  readonly challenge: string;
  readonly state: string | undefined;
}

/** The requested access. */
export interface Demand {
  readonly scopes: readonly string[];
  /** Empty for the REST API. */
  readonly resource: string;
  readonly nonce: string | null;
  /** Whether the user is asked for consent if needed, always, or never. */
  readonly consent: 'as needed' | 'always' | 'never';
  /** Maximum age of the sign-in in seconds. */
  readonly oldestSignIn: number;
  /** The only user that may be answered; undefined for any. */
  readonly userId: string | undefined;
}

/** SHA-256 in base64url: 43 characters, of which the last carries four bits. */
const challengeForm = /^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$/;

/**
 * Steps 1 to 4. Their errors are shown in the browser and not sent to the redirect URI, which may not be the client's.
 * @param find returns a client by its `client_id`.
 * @throws {InvalidRequest | InvalidClient | UnsupportedResponseType}
 */
export async function destinationOf(
  parameters: AuthorizationParameters,
  find: (clientId: string) => Promise<Client | undefined>,
): Promise<Destination> {
  // 1. The client exists and is not suspended.
  const { client_id: clientId, redirect_uri: redirectUri, code_challenge: challenge, state } = parameters;
  if (clientId === undefined) throw new InvalidRequest('The parameter client_id is missing');
  const client = await find(clientId);
  if (client === undefined || client.suspended) throw new InvalidClient('authorization');
  // 2. The redirect URI is registered for the client.
  if (redirectUri === undefined) throw new InvalidRequest('The parameter redirect_uri is missing');
  if (!isRegistered(client.redirectUris, redirectUri))
    throw new InvalidRequest('The redirect_uri is not one that the client has registered');
  // 3. The response type is a code.
  if (parameters.response_type !== 'code') throw new UnsupportedResponseType('The response_type must be code');
  // 4. PKCE with S256. An absent method would mean "plain".
  if (challenge === undefined || parameters.code_challenge_method !== 'S256')
    throw new InvalidRequest('PKCE is required: send a code_challenge and code_challenge_method=S256');
  if (!challengeForm.test(challenge))
    throw new InvalidRequest('The code_challenge must be the SHA-256 of the verifier in base64url, 43 characters');
  return { client, redirectUri, challenge, state };
}

/** Unsupported parameters that would change the meaning of the request, each with its error. */
const notServed = [
  ['request', RequestNotSupported],
  ['request_uri', RequestUriNotSupported],
  ['registration', RegistrationNotSupported],
] as const;

/**
 * Steps 5 to 8. Their errors are sent to the redirect URI, as is that of step 9, which needs a session. @throws
 * {OAuthRefusal}
 */
export function demandOf(
  parameters: AuthorizationParameters,
  { client }: Pick<Destination, 'client'>,
  baseUrl: string,
): Demand {
  // 5. Unsupported parameters are rejected, not ignored.
  for (const [name, NotSupported] of notServed)
    if (parameters[name] !== undefined) throw new NotSupported(`The parameter ${name} is not supported`);
  if (parameters.response_mode !== undefined && parameters.response_mode !== 'query')
    throw new InvalidRequest('The response_mode must be query');
  // 6. The scopes. If absent, the scopes that the client is registered with.
  const allowed = allowedScopes(client);
  const scopes = readScopes(parameters.scope) ?? allowed;
  if (scopes.length === 0 || scopes.some((scope) => !allowed.includes(scope)))
    throw new InvalidScope('The client may not ask for this scope');
  // 7. The resource belongs to this instance. It is converted to its canonical form.
  const { resource: named = '' } = parameters;
  const resource = typeof named !== 'string' ? undefined : named === '' ? '' : canonicalResource(baseUrl, named);
  if (resource === undefined) throw new InvalidTarget('The resource is no MCP endpoint of this instance');
  // 8. The prompt, max_age and id_token_hint are valid.
  const prompts = new Set(parameters.prompt?.split(' '));
  for (const prompt of prompts)
    if (!['none', 'login', 'consent', 'select_account'].includes(prompt))
      throw new InvalidRequest('The prompt is not known');
  if (prompts.has('none') && prompts.size > 1) throw new InvalidRequest('The prompt none stands alone');
  if (parameters.max_age !== undefined && !/^\d{1,9}$/.test(parameters.max_age))
    throw new InvalidRequest('The max_age must be in whole seconds');
  const maxAge = parameters.max_age === undefined ? Infinity : Number(parameters.max_age);
  const { id_token_hint: hint } = parameters;
  const userId = hint === undefined ? undefined : hintedUser(hint, baseUrl);
  if (hint !== undefined && userId === undefined)
    throw new InvalidRequest('The id_token_hint is no ID token of this instance');
  // `max_age=0` means the same as `prompt=login`, unless the prompt is `none`.
  const anew = prompts.has('login') || prompts.has('select_account') || (maxAge === 0 && !prompts.has('none'));
  return {
    oldestSignIn: anew ? Math.min(maxAge === 0 ? Infinity : maxAge, justNowSeconds) : maxAge,
    userId,
    scopes,
    resource,
    nonce: parameters.nonce ?? null,
    consent: prompts.has('none') ? 'never' : prompts.has('consent') ? 'always' : 'as needed',
  };
}

/** Maximum age in seconds of a sign-in requested by the client: after signing in, the browser repeats the request. */
const justNowSeconds = 120;
