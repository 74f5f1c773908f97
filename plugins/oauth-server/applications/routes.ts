// The routes of the caller's own applications.
import { api, pageRules, presentPage, readPage, reply, session, type Route } from 'hexforge/plugin';
import { defaultScopes } from 'hexforge/oauth';
import type { OAuthUseCases } from '#core/oauth/use-cases';
import { uncached } from '../protocol.ts';
import { presentOwned } from './present.ts';
import {
  applicationBody,
  applicationChangeBody,
  applicationJson,
  applicationPageJson,
  applicationPageQuery,
  createdApplicationJson,
  secretJson,
} from './schemas.ts';

/** Splits a text of URIs at whitespace and commas. */
const urisOf = (given: string | readonly string[]): readonly string[] =>
  typeof given === 'string' ? given.split(/[\s,]/).filter((uri) => uri !== '') : given;

/** Requires a session, so that a token with narrow scopes cannot create a client or take one over. */
const guarded = { access: session, scope: null } as const;
const one = '/user/oauth2/apps/{id}';

export const applicationRoutes = ({ applications }: OAuthUseCases): readonly Route[] => [
  api({
    ...guarded,
    id: 'applicationList',
    summary: 'The caller’s applications, newest first',
    method: 'GET',
    path: '/user/oauth2/apps',
    query: applicationPageQuery,
    result: applicationPageJson,
    async run(call, { query }) {
      const page = await applications.list(call, readPage(pageRules.orDefault(), query));
      return presentPage(page, (client) => presentOwned(client, call.caller.username));
    },
  }),
  api({
    ...guarded,
    id: 'applicationCreate',
    summary: 'Register an application of one’s own',
    method: 'POST',
    path: '/user/oauth2/apps',
    body: applicationBody,
    success: 201,
    result: createdApplicationJson,
    statuses: [422],
    async run(call, { body }) {
      const { name, description = '', homepage_url: homepageUrl = '', logo_url: logoUrl = '' } = body;
      const { redirect_uris: uris, scopes = defaultScopes, confidential = true } = body;
      const members = { name, description, homepageUrl, logoUrl, redirectUris: urisOf(uris), scopes };
      const { client, secret } = await applications.create(call, { ...members, confidential });
      return reply(
        { ...presentOwned(client, call.caller.username), ...(secret !== undefined && { client_secret: secret }) },
        { headers: uncached },
      );
    },
  }),
  api({
    ...guarded,
    id: 'applicationFetch',
    summary: 'An application of the caller',
    method: 'GET',
    path: one,
    result: applicationJson,
    statuses: [404],
    run: async (call, { params }) => presentOwned(await applications.fetch(call, params), call.caller.username),
  }),
  api({
    ...guarded,
    id: 'applicationUpdate',
    summary: 'Change an application; scopes it loses are lost by its tokens too',
    method: 'PATCH',
    path: one,
    body: applicationChangeBody,
    result: applicationJson,
    statuses: [404],
    async run(call, { params, body: { homepage_url: homepageUrl, logo_url: logoUrl, redirect_uris: uris, ...same } }) {
      const change = { ...same, homepageUrl, logoUrl, redirectUris: uris === undefined ? uris : urisOf(uris) };
      return presentOwned(await applications.update(call, { ...params, ...change }), call.caller.username);
    },
  }),
  api({
    ...guarded,
    id: 'applicationRotateSecret',
    summary: 'Give a confidential application another secret; the one before is good no longer',
    method: 'POST',
    path: `${one}/rotate-secret`,
    result: secretJson,
    statuses: [404, 409],
    async run(call, { params }) {
      const { secret } = await applications.rotateSecret(call, params);
      return reply({ client_secret: secret }, { headers: uncached });
    },
  }),
  api({
    ...guarded,
    id: 'applicationDelete',
    summary: 'Delete an application, with all that was granted to it',
    method: 'DELETE',
    path: one,
    result: 'empty',
    statuses: [404],
    run: (call, { params }) => applications.delete(call, params),
  }),
];
