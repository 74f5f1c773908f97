// The routes of the grants that the caller gave to applications.
import {
  api,
  flag,
  list,
  orNull,
  pageOf,
  pageQuery,
  pageRules,
  presentPage,
  readPage,
  session,
  shape,
  text,
  time,
  word,
  type Route,
  type TypeOf,
} from 'hexforge/plugin';
import type { ListedGrant, OAuthUseCases } from '#core/oauth/use-cases';
import { presentGrant } from '../applications/present.ts';

const grantJson = shape({
  client_id: word(),
  name: word(),
  homepage_url: text(),
  logo_url: text(),
  scopes: list(word()),
  resource: orNull(word().description('What its tokens are bound to; null for the REST API')),
  remembered: flag().description('Whether the application is let in again without asking'),
  created_at: time(),
  updated_at: time(),
}).id('Grant');

const present = ({ grant, client }: ListedGrant): TypeOf<typeof grantJson> => ({
  client_id: client.clientId,
  name: client.name,
  homepage_url: client.homepageUrl,
  logo_url: client.logoUrl,
  ...presentGrant(grant),
});

/** Requires a session, so that a token can neither list nor end the grants of other applications. */
export const guarded = { access: session, scope: null } as const;

export const grantRoutes = ({ grants }: OAuthUseCases): readonly Route[] => [
  api({
    ...guarded,
    id: 'grantList',
    summary: 'What the caller has granted applications, the latest first',
    method: 'GET',
    path: '/user/oauth2/grants',
    query: shape(pageQuery),
    result: pageOf(grantJson).id('GrantPage'),
    run: async (call, { query }) =>
      presentPage(await grants.list(call, readPage(pageRules.orDefault(), query)), present),
  }),
  api({
    ...guarded,
    id: 'grantDelete',
    summary: 'Take back what was granted to an application: its tokens end',
    method: 'DELETE',
    path: '/user/oauth2/grants/{client_id}',
    result: 'empty',
    statuses: [404],
    run: (call, { params }) => grants.revoke(call, { clientId: params.client_id }),
  }),
];
