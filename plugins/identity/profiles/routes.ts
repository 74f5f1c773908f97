// The caller's own profile and password, and what anyone may see of a user.
import { anyone, api, session, signedIn } from 'hexforge/plugin';
import type { Route } from 'hexforge/plugin';
import type { IdentityUseCases } from '#core/identity/use-cases';
import * as present from '../present.ts';
import { passwordChangeBody, profileBody, publicProfileBody, userBody, usernameParams } from '../schemas.ts';

export const profileRoutes = (useCases: IdentityUseCases): readonly Route[] => [
  api({
    id: 'userFetch',
    summary: 'The authenticated user',
    method: 'GET',
    path: '/user',
    access: signedIn,
    scope: 'user.read',
    meter: 'api.read',
    result: userBody,
    run: async (call) => present.user(await useCases.profiles.own(call)),
  }),
  api({
    id: 'userUpdate',
    summary: 'Change the profile',
    method: 'PATCH',
    path: '/user',
    access: session,
    scope: null,
    meter: 'api.write',
    body: profileBody,
    result: userBody,
    statuses: [409],
    async run(call, { body }) {
      const { display_name: displayName, avatar_url: avatarUrl, bio, email } = body;
      return present.user(
        await useCases.profiles.update(call, {
          ...(displayName !== undefined && { displayName }),
          ...(avatarUrl !== undefined && { avatarUrl }),
          ...(bio !== undefined && { bio }),
          ...(email !== undefined && { email }),
        }),
      );
    },
  }),
  api({
    id: 'userPassword',
    summary: 'Change the password; every other session ends',
    method: 'POST',
    path: '/user/password',
    access: session,
    scope: null,
    meter: 'api.write',
    body: passwordChangeBody,
    success: 204,
    result: 'empty',
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
    meter: 'api.read',
    params: usernameParams,
    result: publicProfileBody,
    statuses: [404],
    run: async (call, { params }) => present.publicProfile(await useCases.profiles.public(call, params)),
  }),
];
