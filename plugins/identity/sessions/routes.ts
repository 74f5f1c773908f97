// The routes of /auth: sign-in, refresh, sign-out, the authenticated user and registration.
import { anyone, api, camelCased, reply, signedIn, type Route } from 'hexforge/plugin';
import type { IdentityUseCases, SignedIn } from '#core/identity/use-cases';
import { presentUser, userJson } from '../profiles/schemas.ts';
import { accessCookie, cleared, cookies, cookiesOfRest, refreshCookie } from './cookies.ts';
import { loginBody, registrationBody, sessionJson } from './schemas.ts';

/** The body contains a credential, so it must not be cached (as in RFC 6749, section 5.1). */
const uncached = { 'cache-control': 'no-store' };

const presentSession = ({ accessToken, account }: SignedIn) => ({
  access_token: accessToken,
  user: presentUser(account),
});

const common = { access: anyone, scope: null } as const;

export const authRoutes = (useCases: IdentityUseCases): readonly Route[] => [
  api({
    ...common,
    id: 'authLogin',
    summary: 'Exchange username and password for a session',
    method: 'POST',
    path: '/auth/login',
    body: loginBody,
    result: sessionJson,
    statuses: [403, 503],
    async run(call, { body, header }) {
      const opened = await useCases.sessions.signIn(call, body);
      return reply(presentSession(opened), { cookies: cookiesOfRest(opened, header('cookie')), headers: uncached });
    },
  }),
  api({
    ...common,
    id: 'authRefresh',
    summary: 'Trade the refresh cookie for a new session token and a new refresh cookie',
    method: 'POST',
    path: '/auth/refresh',
    cookies: true,
    result: sessionJson,
    async run(call, input) {
      const renewed = await useCases.sessions.refresh(call, { refreshToken: input.cookies[refreshCookie.name] });
      return reply(presentSession(renewed), { cookies: cookies(renewed), headers: uncached });
    },
  }),
  api({
    ...common,
    id: 'authLogout',
    summary: 'End the session of the bearer token or the cookies',
    method: 'POST',
    path: '/auth/logout',
    cookies: true,
    result: 'empty',
    async run(call, input) {
      await useCases.sessions.signOut(call, {
        access: input.cookies[accessCookie.name],
        refresh: input.cookies[refreshCookie.name],
      });
      return reply(undefined, { cookies: cleared });
    },
  }),
  api({
    id: 'authMe',
    summary: 'The authenticated user',
    method: 'GET',
    path: '/auth/me',
    access: signedIn,
    scope: 'user.read',
    result: userJson,
    run: async (call) => presentUser(await useCases.profiles.own(call)),
  }),
  api({
    ...common,
    id: 'authRegister',
    summary: 'Register an account, where the setting signup.enabled allows it',
    method: 'POST',
    path: '/auth/register',
    body: registrationBody,
    success: 201,
    result: userJson,
    statuses: [403, 409],
    run: async (call, { body }) =>
      presentUser(
        await useCases.profiles.register(call, camelCased({ ...body, display_name: body.display_name ?? '' })),
      ),
  }),
];
