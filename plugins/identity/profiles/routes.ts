// The routes of the caller's own profile and password, and of public profiles.
import { anyone, api, camelCased, session, signedIn, type Route } from 'hexforge/plugin';
import type { IdentityUseCases } from '#core/identity/use-cases';
import {
  passwordChangeBody,
  presentPublicProfile,
  presentUser,
  profileBody,
  publicProfileJson,
  userJson,
} from './schemas.ts';

const guarded = { access: session, scope: null } as const;

export const profileRoutes = (useCases: IdentityUseCases): readonly Route[] => [
  api({
    id: 'userFetch',
    summary: 'The authenticated user',
    method: 'GET',
    path: '/user',
    access: signedIn,
    scope: 'user.read',
    result: userJson,
    run: async (call) => presentUser(await useCases.profiles.own(call)),
  }),
  api({
    ...guarded,
    id: 'userUpdate',
    summary: 'Change the profile',
    method: 'PATCH',
    path: '/user',
    body: profileBody,
    result: userJson,
    statuses: [409],
    run: async (call, { body }) => presentUser(await useCases.profiles.update(call, camelCased(body))),
  }),
  api({
    ...guarded,
    id: 'userPassword',
    summary: 'Change the password; every other session ends',
    method: 'POST',
    path: '/user/password',
    body: passwordChangeBody,
    result: 'empty',
    statuses: [409],
    run: (call, { body }) =>
      useCases.profiles.changePassword(call, { current: body.current_password, next: body.new_password }),
  }),
  api({
    id: 'userPublicProfile',
    summary: 'What anyone may see of a user',
    method: 'GET',
    path: '/users/{username}',
    access: anyone,
    scope: null,
    result: publicProfileJson,
    statuses: [404],
    run: async (call, { params }) => presentPublicProfile(await useCases.profiles.public(call, params)),
  }),
];
