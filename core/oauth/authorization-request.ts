// The authorization request (RFC 6749, section 4.1.1; RFC 7636; RFC 8707; OpenID Connect Core, section 3.1.2.1): its
// checks, in the order in which they are told.
import type { Client } from './client.ts';
import { allowedScopes } from './client.ts';
import {
  InvalidClient,
  InvalidRequest,
  InvalidScope,
  InvalidTarget,
  RegistrationNotSupported,
  RequestNotSupported,
  RequestUriNotSupported,
  UnsupportedResponseType,
} from './errors.ts';
import { isRegistered } from './redirect-uri.ts';
import { canonicalResource } from './resource.ts';
import { readScopes } from './scopes.ts';

/** Its parameters as they came; empty ones are absent. */
export interface AuthorizationParameters {
  readonly client_id?: string;
  readonly redirect_uri?: string;
  readonly response_type?: string;
  readonly response_mode?: string;
  readonly scope?: string;
  readonly state?: string;
  readonly code_challenge?: string;
  readonly code_challenge_method?: string;
  /** A list where it came more than once. */
  readonly resource?: string | readonly string[];
  readonly nonce?: string;
  readonly prompt?: string;
  readonly max_age?: string;
  readonly request?: string;
  readonly request_uri?: string;
  readonly registration?: string;
}

/** Where the answer goes; from here on errors go there too. */
export interface Destination {
  readonly client: Client;
  readonly redirectUri: string;
  readonly challenge: string;
  readonly state: string | undefined;
}

/** What is asked for. */
export interface Demand {
  readonly scopes: readonly string[];
  /** Empty for the REST API. */
  readonly resource: string;
  readonly nonce: string | null;
  /** Whether the user may be asked, must be, or neither. */
  readonly consent: 'as needed' | 'always' | 'never';
  /** How many seconds the sign-in may lie back. */
  readonly oldestSignIn: number;
}

/** SHA-256 in base64url: 43 characters, the last of which carries four bits. */
const challengeForm = /^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$/;

/**
 * Steps 1 to 4: told to the browser itself, for nothing says yet that the redirect URI is the client's, or document A
 * wants it so.
 * @param find a client by its `client_id`.
 * @throws {InvalidRequest | InvalidClient | UnsupportedResponseType}
 */
export async function destinationOf(
  parameters: AuthorizationParameters,
  find: (clientId: string) => Promise<Client | undefined>,
): Promise<Destination> {
  // 1. The client is known and not suspended.
  const { client_id: clientId, redirect_uri: redirectUri, code_challenge: challenge, state } = parameters;
  if (clientId === undefined) throw new InvalidRequest('The parameter client_id is missing');
  const client = await find(clientId);
  if (client === undefined || client.suspended) throw new InvalidClient('authorization');
  // 2. The redirect URI is one of its own.
  if (redirectUri === undefined) throw new InvalidRequest('The parameter redirect_uri is missing');
  if (!isRegistered(client.redirectUris, redirectUri))
    throw new InvalidRequest('The redirect_uri is not one that the client has registered');
  // 3. A code is asked for.
  if (parameters.response_type !== 'code') throw new UnsupportedResponseType('The response_type must be code');
  // 4. With PKCE: a method that is absent would mean "plain".
  if (challenge === undefined || parameters.code_challenge_method !== 'S256')
    throw new InvalidRequest('PKCE is required: send a code_challenge and code_challenge_method=S256');
  if (!challengeForm.test(challenge))
    throw new InvalidRequest('The code_challenge must be the SHA-256 of the verifier in base64url, 43 characters');
  return { client, redirectUri, challenge, state };
}

/** Parameters that would change what is meant, each with its own refusal. */
const notServed = [
  ['request', RequestNotSupported],
  ['request_uri', RequestUriNotSupported],
  ['registration', RegistrationNotSupported],
] as const;

/** Steps 5 to 8: told at the redirect URI, as is step 9, for which there has to be a session. @throws {OAuthRefusal} */
export function demandOf(
  parameters: AuthorizationParameters,
  { client }: Pick<Destination, 'client'>,
  baseUrl: string,
): Demand {
  // 5. What is not served is refused rather than passed over.
  for (const [name, NotSupported] of notServed)
    if (parameters[name] !== undefined) throw new NotSupported(`The parameter ${name} is not supported`);
  if (parameters.response_mode !== undefined && parameters.response_mode !== 'query')
    throw new InvalidRequest('The response_mode must be query');
  // 6. Scopes: an absent one means what the client is registered with.
  const allowed = allowedScopes(client);
  const scopes = readScopes(parameters.scope) ?? allowed;
  if (scopes.length === 0 || scopes.some((scope) => !allowed.includes(scope)))
    throw new InvalidScope('The client may not ask for this scope');
  // 7. The resource is one of this instance, and from here on in one spelling.
  const { resource: named = '' } = parameters;
  const resource = typeof named !== 'string' ? undefined : named === '' ? '' : canonicalResource(baseUrl, named);
  if (resource === undefined) throw new InvalidTarget('The resource is no MCP endpoint of this instance');
  // 8. The prompt.
  const prompts = new Set(parameters.prompt?.split(' '));
  for (const prompt of prompts)
    if (!['none', 'login', 'consent', 'select_account'].includes(prompt))
      throw new InvalidRequest('The prompt is not known');
  if (prompts.has('none') && prompts.size > 1) throw new InvalidRequest('The prompt none stands alone');
  if (parameters.max_age !== undefined && !/^\d{1,9}$/.test(parameters.max_age))
    throw new InvalidRequest('The max_age must be in whole seconds');
  const maxAge = parameters.max_age === undefined ? Infinity : Number(parameters.max_age);
  // `max_age=0` is `prompt=login` in other words, where the user may be asked.
  const anew = prompts.has('login') || prompts.has('select_account') || (maxAge === 0 && !prompts.has('none'));
  return {
    oldestSignIn: anew ? Math.min(maxAge === 0 ? Infinity : maxAge, justNowSeconds) : maxAge,
    scopes,
    resource,
    nonce: parameters.nonce ?? null,
    consent: prompts.has('none') ? 'never' : prompts.has('consent') ? 'always' : 'as needed',
  };
}

/** A sign-in that a client asks for may lie so far back: the page comes here again after it. */
const justNowSeconds = 120;
