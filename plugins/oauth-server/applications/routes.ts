// The routes of the caller's own applications.
import { api, operations, reply, session, type Route } from 'hexforge/plugin';
import { defaultScopes, type Client } from 'hexforge/oauth';
import type { OAuthUseCases } from '#core/oauth/use-cases';
import { uncached } from '../protocol.ts';
import { presentOwned } from './present.ts';
import {
  applicationBody,
  applicationChangeBody,
  applicationJson,
  createdApplicationJson,
  secretJson,
} from './schemas.ts';

/** Splits a text of URIs at whitespace and commas. */
export const urisOf = (given: string | readonly string[]): readonly string[] =>
  typeof given === 'string' ? given.split(/[\s,]/).filter((uri) => uri !== '') : given;

/** Requires a session, so that a token with narrow scopes cannot create a client or take one over. */
export const guarded = { access: session, scope: null } as const;
const path = '/user/oauth2/apps';
const application = operations({
  noun: 'application',
  path,
  reading: guarded,
  writing: guarded,
  json: applicationJson,
  present: (client: Client, { caller }) => presentOwned(client, caller.username),
});

export const applicationRoutes = ({ applications }: OAuthUseCases): readonly Route[] => [
  application.page({ summary: 'The caller’s applications, newest first', run: applications.list }),
  api({
    ...guarded,
    id: 'applicationCreate',
    summary: 'Register an application of one’s own',
    method: 'POST',
    path,
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
  application.fetch({ summary: 'An application of the caller', statuses: [404], run: applications.fetch }),
  application.update({
    summary: 'Change an application; scopes it loses are lost by its tokens too',
    body: applicationChangeBody,
    statuses: [404],
    run: (call, { homepage_url: homepageUrl, logo_url: logoUrl, redirect_uris: uris, ...same }) =>
      applications.update(call, {
        ...same,
        homepageUrl,
        logoUrl,
        redirectUris: uris === undefined ? uris : urisOf(uris),
      }),
  }),
  api({
    ...guarded,
    id: 'applicationRotateSecret',
    summary: 'Give a confidential application another secret; the one before is good no longer',
    method: 'POST',
    path: `${path}/{id}/rotate-secret`,
    result: secretJson,
    statuses: [404, 409],
    async run(call, { params }) {
      const { secret } = await applications.rotateSecret(call, params);
      return reply({ client_secret: secret }, { headers: uncached });
    },
  }),
  application.delete({
    summary: 'Delete an application, with all that was granted to it',
    statuses: [404],
    run: applications.delete,
  }),
];
