// The routes of sign-in providers and of the caller's external identities.
import { anyone, api, reply, session, ValidationFailed, word, shape, type Route } from 'hexforge/plugin';
import type { IdentityUseCases } from '#core/identity/use-cases';
import { keptFlows, startedFlows } from './browser-steps.ts';
import { identitiesJson, linkBody, linkedJson, presentIdentity, presentProvider, providersJson } from './schemas.ts';

const guarded = { access: session, scope: null } as const;

const provider = shape({ provider: word().max(64) });

/** @throws {ValidationFailed} if it is missing. */
function required(value: string | undefined, field: string): string {
  if (value !== undefined) return value;
  throw new ValidationFailed('The provider checks a name and a password', { detail: `"${field}" is required` });
}

export const externalRoutes = (
  { redirects, identities }: IdentityUseCases,
  urls: { readonly webUrl: string },
): readonly Route[] => [
  api({
    id: 'authProviders',
    summary: 'List the ways to sign in besides the password of an account',
    method: 'GET',
    path: '/auth/providers',
    access: anyone,
    scope: null,
    result: providersJson,
    run: async () => ({
      items: (await redirects.providers()).map((one) => presentProvider(one, urls.webUrl)),
    }),
  }),
  api({
    ...guarded,
    id: 'userIdentities',
    summary: 'List the external identities that may sign in to the account',
    method: 'GET',
    path: '/user/identities',
    result: identitiesJson,
    run: async (call) => ({ items: (await identities.list(call)).map(presentIdentity) }),
  }),
  api({
    ...guarded,
    id: 'userIdentityLink',
    summary: 'Link an identity: by a redirect, or by the name and password of a directory',
    method: 'POST',
    path: '/user/identities/{provider}',
    params: provider,
    body: linkBody,
    result: linkedJson,
    statuses: [201, 404, 409, 422, 502, 503],
    async run(call, { params, body: { username, password }, header }) {
      if (!identities.isDirectory(params.provider)) {
        const cookie = startedFlows(header('cookie'));
        const { redirectUrl, flows } = await redirects.startLink(call, { ...params, cookie });
        return reply({ redirect_url: redirectUrl }, { cookies: [keptFlows(flows)] });
      }
      const proof = { username: required(username, 'username'), password: required(password, 'password') };
      return reply(presentIdentity(await identities.linkByPassword(call, { ...params, ...proof })), { status: 201 });
    },
  }),
  api({
    ...guarded,
    id: 'userIdentityUnlink',
    summary: 'Unlink an identity, unless it is the last way to sign in',
    method: 'DELETE',
    path: '/user/identities/{id}',
    result: 'empty',
    statuses: [404, 409],
    run: (call, { params }) => identities.unlink(call, params),
  }),
];
