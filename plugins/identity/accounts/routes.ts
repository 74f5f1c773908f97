// The routes of /admin/users.
import { admin, api, offsetOf, pageRules, readPage, readSlice, wholeNumber, type Route } from 'hexforge/plugin';
import type { IdentityUseCases } from '#core/identity/use-cases';
import {
  adminUserJson,
  adminUserListJson,
  adminUserQuery,
  deletionErrorMembers,
  newPasswordBody,
  newUserBody,
  presentAdminUser,
  uidParams,
  userChangeBody,
  type AdminUserQuery,
  type UserChangeBody,
} from './schemas.ts';

const listRule = pageRules.maximum(50, 500);

/** An explicit `limit` overrides `per_page`, and an explicit `offset` overrides `page`. */
function slice({ page, per_page, limit, offset }: AdminUserQuery): { readonly limit: number; readonly offset: number } {
  const paged = readPage(listRule, { page, per_page: wholeNumber(limit) ?? per_page });
  return readSlice(listRule, { limit: paged.perPage, offset: wholeNumber(offset) ?? offsetOf(paged) });
}

const statusOf = ({ status, is_active: isActive }: UserChangeBody): 'active' | 'suspended' | undefined =>
  status ?? (isActive === undefined ? undefined : isActive ? 'active' : 'suspended');

const guarded = { access: admin('admin:users'), scope: 'admin.users' } as const;

export const adminUserRoutes = (useCases: IdentityUseCases): readonly Route[] => [
  api({
    ...guarded,
    id: 'adminUserList',
    summary: 'All accounts, by name',
    method: 'GET',
    path: '/admin/users',
    query: adminUserQuery,
    result: adminUserListJson,
    async run(call, { query }) {
      const { limit, offset } = slice(query);
      const q = query.q === '' ? undefined : query.q;
      const { status, is_admin: isAdmin } = query;
      const { accounts, total } = await useCases.administration.list(call, { q, status, isAdmin, limit, offset });
      return { users: accounts.map(presentAdminUser), total, limit, offset };
    },
  }),
  api({
    ...guarded,
    id: 'adminUserCreate',
    summary: 'Create an account',
    method: 'POST',
    path: '/admin/users',
    body: newUserBody,
    success: 201,
    result: adminUserJson,
    statuses: [409],
    run: async (call, { body }) =>
      presentAdminUser(
        await useCases.administration.create(call, {
          username: body.username,
          email: body.email,
          password: body.password,
          displayName: body.display_name ?? '',
          isAdmin: body.is_admin ?? false,
        }),
      ),
  }),
  api({
    ...guarded,
    id: 'adminUserFetch',
    summary: 'One account',
    method: 'GET',
    path: '/admin/users/{uid}',
    params: uidParams,
    result: adminUserJson,
    statuses: [404],
    run: async (call, { params }) => presentAdminUser(await useCases.administration.fetch(call, { id: params.uid })),
  }),
  api({
    ...guarded,
    id: 'adminUserUpdate',
    summary: 'Change an account; suspending it ends every session and token at once',
    method: 'PATCH',
    path: '/admin/users/{uid}',
    params: uidParams,
    body: userChangeBody,
    result: adminUserJson,
    statuses: [404, 409],
    async run(call, { params, body }) {
      const { email, display_name: displayName, is_admin: isAdmin } = body;
      const change = { id: params.uid, email, displayName, isAdmin, status: statusOf(body) };
      return presentAdminUser(await useCases.administration.update(call, change));
    },
  }),
  api({
    ...guarded,
    id: 'adminUserDelete',
    summary: 'Delete an account; its sessions and tokens end first',
    method: 'DELETE',
    path: '/admin/users/{uid}',
    params: uidParams,
    result: 'empty',
    statuses: [404, 409],
    errorMembers: deletionErrorMembers,
    run: (call, { params }) => useCases.administration.delete(call, { id: params.uid }),
  }),
  api({
    ...guarded,
    id: 'adminUserPassword',
    summary: 'Set the password of an account; its sessions end',
    method: 'POST',
    path: '/admin/users/{uid}/password',
    params: uidParams,
    body: newPasswordBody,
    result: 'empty',
    statuses: [404],
    run: (call, { params, body }) =>
      useCases.administration.setPassword(call, { id: params.uid, password: body.password }),
  }),
  api({
    ...guarded,
    id: 'adminUserRevokeTokens',
    summary: 'End every session and token of an account',
    method: 'POST',
    path: '/admin/users/{uid}/revoke-tokens',
    params: uidParams,
    result: 'empty',
    statuses: [404],
    run: (call, { params }) => useCases.administration.revokeTokens(call, { id: params.uid }),
  }),
];
