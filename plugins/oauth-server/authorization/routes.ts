// The authorization endpoint, for pages and programs that show the consent question themselves.
import { api, reply, session, type Call, type Reply, type Route, type TypeOf, type User } from 'hexforge/plugin';
import type { ConsentQuestion, OAuthUseCases } from '#core/oauth/use-cases';
import { oauthRefusals } from '../protocol.ts';
import { authorizationQuery, consentJson, decidedJson, decisionForm } from './schemas.ts';

type ConsentJson = TypeOf<typeof consentJson>;
type Outcome = Awaited<ReturnType<OAuthUseCases['authorization']['ask']>>;

const presentQuestion = ({ client, scopes, rememberedScopes, redirectUri, shown }: ConsentQuestion): ConsentJson => ({
  decision: 'consent_required',
  app_name: client.name,
  description: client.description,
  homepage_url: client.homepageUrl,
  logo_url: client.logoUrl,
  scopes_requested: scopes,
  grant_exists: rememberedScopes !== undefined,
  remembered_scopes: rememberedScopes ?? [],
  redirect_host: new URL(redirectUri).host,
  self_registered: client.ownerId === null,
  shown,
});

/** The response may contain a code, so it must not be cached or framed. */
const guarded = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'x-frame-options': 'DENY',
} as const;

/** Redirects the browser, without a body. */
export const sentTo = (url: string, status: 302 | 303 = 302): Reply<never> =>
  reply(undefined as never, { status, headers: { ...guarded, location: url } });

/** Whether the request comes from another site, by Fetch Metadata. Only browsers send that header. */
const isElsewhere = (site: string | undefined): boolean =>
  site !== undefined && site !== 'same-origin' && site !== 'none';

const common = {
  ...oauthRefusals,
  path: '/oauth2/authorize',
  access: session,
  scope: null,
  cookies: true,
  query: authorizationQuery,
  statuses: [302],
} as const;

export const authorizationRoutes = ({ authorization, open }: OAuthUseCases): readonly Route[] => [
  api({
    ...common,
    open,
    id: 'oauthConsent',
    summary: 'What an application asks the signed-in user for',
    method: 'GET',
    result: consentJson,
    async run(call: Call<User>, { query, header }) {
      const elsewhere = call.caller.credential.via === 'cookie' && isElsewhere(header('sec-fetch-site'));
      const asked: Outcome = await authorization.ask(call, query, { elsewhere });
      if (asked.outcome === 'refused') return sentTo(asked.url);
      const body: ConsentJson =
        asked.outcome === 'answered' ? { auto_approve_redirect_url: asked.url } : presentQuestion(asked.question);
      return reply(body, { headers: guarded });
    },
  }),
  api({
    ...common,
    open,
    id: 'oauthDecide',
    summary: 'Approve or deny what an application asks for',
    method: 'POST',
    form: true,
    body: decisionForm,
    result: decidedJson,
    async run(call: Call<User>, { query, body }) {
      const decided = await authorization.decide(call, query, body);
      if (decided.outcome === 'refused') return sentTo(decided.url);
      const told = decided.outcome === 'asked' ? presentQuestion(decided.question) : { redirect_url: decided.url };
      return reply(told, { headers: guarded });
    },
  }),
];
