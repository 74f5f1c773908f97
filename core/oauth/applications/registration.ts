// Use case of dynamic client registration (RFC 7591), restricted by settings and by the caller.
import type { Call } from '#core/kernel/caller';
import { RateLimited, Unauthorized } from '#core/kernel/errors';
import { clientNetwork } from '#core/kernel/access/current-caller';
import { authMethods, isName, redirectUrisMisfit, type AuthMethod } from '../model/client.ts';
import { AccessDenied, InvalidClientMetadata, InvalidRedirectUri, InvalidScope } from '../model/errors.ts';
import { tellApp } from '../model/events.ts';
import { newClient, type NewClient } from './new-client.ts';
import type { OAuthParts } from '../model/parts.ts';
import { allowlist } from '../model/redirect-uri.ts';
import { adminOnlyScopes, defaultScopes, knownScopes, readScopes } from '../model/scopes.ts';

/** Client metadata of the request, not validated yet. */
export interface RegistrationRequest {
  readonly redirect_uris?: unknown;
  readonly token_endpoint_auth_method?: unknown;
  readonly client_name?: unknown;
  readonly scope?: unknown;
  readonly grant_types?: unknown;
  readonly response_types?: unknown;
}

/** The scopes that anonymous registrations may request. */
const selfScopes: readonly string[] = ['mcp:read'];
const selfName = 'Unnamed application';
const grantTypes = ['authorization_code', 'refresh_token'];

export function registration(parts: OAuthParts) {
  const { clients, settings, scopes, rateCounter, vouching, adminGrants, unitOfWork } = parts;

  const isAdministrator = async ({ caller }: Call): Promise<boolean> =>
    caller.kind === 'user' &&
    (caller.isAdmin || (await adminGrants()?.scopesOf(caller.id))?.includes('admin:oauth2') === true);

  /** Limits anonymous registrations per address and hour. @throws {RateLimited} */
  const throttle = async ({ ip, now }: Call): Promise<void> => {
    const limit = await settings.get('oauth2.dcr.per_ip_per_hour');
    const budget = { limit, windowSeconds: 3600, window: 'rolling' } as const;
    const { exceeded, resetAt } = await rateCounter.take(`oauth.register:address:${clientNetwork(ip)}`, budget, now);
    if (exceeded)
      throw new RateLimited('Too many registrations', (resetAt.getTime() - now.getTime()) / 1000, {
        detail: `An address may register ${limit} applications in an hour`,
      });
  };

  return {
    /** While registration is disabled, the endpoint is visible to administrators only. */
    there: async (call: Call): Promise<boolean> =>
      (await settings.get('oauth2.dcr.enabled')) || (await isAdministrator(call)),

    /** @throws {OAuthRefusal | RateLimited} */
    async register(call: Call, request: RegistrationRequest): Promise<NewClient> {
      // 1. Registration is enabled, and the caller is an administrator or anonymous.
      if (!(await settings.get('oauth2.dcr.enabled')))
        throw new AccessDenied('Registration is switched off: the setting oauth2.dcr.enabled');
      const administrator = await isAdministrator(call);
      if (call.caller.kind === 'user' && !administrator)
        throw new AccessDenied('Registration with a credential needs the admin scope admin:oauth2');
      // 2. The rate limit of the address. Failed registrations count too.
      if (!administrator) await throttle(call);
      // 3. The metadata requests only what this instance supports.
      const authMethod = methodOf(request.token_endpoint_auth_method);
      if (!administrator && authMethod !== 'none')
        throw new InvalidClientMetadata('Without a credential only public clients are registered');
      within(request.grant_types, 'grant_types', grantTypes);
      within(request.response_types, 'response_types', ['code']);
      const name = textOf(request.client_name, 'client_name') ?? selfName;
      if (!isName(name)) throw new InvalidClientMetadata('The client_name is one line of 1 to 100 characters');
      // 4. The redirect URIs are valid and allowed.
      const redirectUris = urisOf(request.redirect_uris);
      const misfit = redirectUrisMisfit(redirectUris);
      if (misfit !== undefined) throw new InvalidRedirectUri(`The member redirect_uris ${misfit}`);
      if (!administrator && !redirectUris.every(allowlist(await settings.get('oauth2.dcr.redirect_allowlist'))))
        throw new InvalidRedirectUri('A redirect URI is not on the list of this instance');
      // 5. The caller may register the requested scopes.
      const known = knownScopes(scopes);
      const allowed = !administrator
        ? selfScopes
        : authMethod === 'none'
          ? known.filter((scope) => !adminOnlyScopes.includes(scope))
          : known;
      const named = readScopes(textOf(request.scope, 'scope')) ?? [];
      const asked =
        named.length > 0 ? named : administrator ? defaultScopes.filter((scope) => known.includes(scope)) : selfScopes;
      if (asked.some((scope) => !allowed.includes(scope))) throw new InvalidScope('The scope cannot be registered');
      const ownerId = call.caller.kind === 'user' ? call.caller.id : null;
      const members = { name, description: '', homepageUrl: '', logoUrl: '', redirectUris, scopes: asked };
      const made = newClient(parts, { ...members, authMethod, ownerId }, call.now);
      await unitOfWork.run(async () => {
        // 6. The owner exists, or the maximum of clients without an owner is not reached. `held` prevents concurrent
        // inserts.
        if (ownerId !== null) {
          if ((await vouching.held(ownerId)) === undefined) throw new Unauthorized('The credential is not valid');
        } else {
          const most = await settings.get('oauth2.dcr.max_clients');
          if ((await clients.count({ ownerId: null }, 'held')) >= most)
            throw new AccessDenied('The instance has no room for another application that registers itself');
        }
        await clients.insert(made.client);
        const details = { name, redirect_uris: redirectUris, scopes: asked, self_registered: ownerId === null };
        await tellApp(parts, call, 'oauth_app.created', made.client, details, 'oauth_app.registered');
      });
      return made;
    },
  };
}

function methodOf(value: unknown): AuthMethod {
  // If omitted, the client is public. This differs from RFC 7591, whose default is client_secret_basic.
  const method = value === undefined ? 'none' : authMethods.find((known) => known === value);
  if (method === undefined)
    throw new InvalidClientMetadata(`The token_endpoint_auth_method is one of ${authMethods.join(', ')}`);
  return method;
}

function textOf(value: unknown, member: string): string | undefined {
  if (value === undefined || value === '') return undefined;
  if (typeof value !== 'string') throw new InvalidClientMetadata(`The member ${member} is a text`);
  return value;
}

function urisOf(value: unknown): readonly string[] {
  if (!Array.isArray(value) || !value.every((uri) => typeof uri === 'string'))
    throw new InvalidRedirectUri('The member redirect_uris is a list of texts');
  return value;
}

/** Rejects requested values that this instance does not support. */
function within(value: unknown, member: string, served: readonly string[]): void {
  if (value === undefined) return;
  if (!Array.isArray(value) || value.length === 0 || !value.every((one) => served.some((name) => name === one)))
    throw new InvalidClientMetadata(`The member ${member} names ${served.join(', ')} alone`);
}
