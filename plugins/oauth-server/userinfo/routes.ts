// The userinfo endpoint (OpenID Connect Core, section 5.3).
import { api, count, flag, maybe, reply, shape, signedIn, uuid, word, type Route } from 'hexforge/plugin';
import type { OAuthUseCases } from '#core/oauth/use-cases';
import { uncached } from '../client-proof.ts';
import { oauthRefusals } from '../refusal.ts';

const claimsJson = shape({
  sub: uuid(),
  preferred_username: maybe(word()),
  name: maybe(word()),
  picture: maybe(word()),
  updated_at: maybe(count()),
  email: maybe(word()),
  email_verified: maybe(flag()),
}).id('Claims');

export const userinfoRoutes = ({ userinfo, open }: OAuthUseCases): readonly Route[] =>
  (['GET', 'POST'] as const).map((method) =>
    api({
      ...oauthRefusals,
      open,
      id: method === 'GET' ? 'oauthUserinfo' : 'oauthUserinfoPost',
      summary: 'What the scopes of the token let an application know of its user',
      method,
      path: '/oauth2/userinfo',
      // Both methods only read.
      meter: 'api.read',
      access: signedIn,
      scope: 'openid',
      cors: true,
      result: claimsJson,
      run: async (call) => reply(await userinfo(call), { headers: uncached }),
    }),
  );
