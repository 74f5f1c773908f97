// The routes of grants of admin scopes.
import { admin, api, pageRules, readSlice, type Route } from 'hexforge/plugin';
import type { AdminScopeUseCases } from '#core/administration/use-cases';
import {
  grantBody,
  grantJson,
  grantListJson,
  grantPageJson,
  grantParams,
  grantQuery,
  presentGrant,
  userParams,
} from './schemas.ts';

const guarded = { access: admin('admin:roles'), scope: 'admin.system' } as const;
const listRule = pageRules.maximum(50, 500);
const ofUser = '/admin/users/{uid}/admin-scopes';

export const adminScopeRoutes = (adminScopes: AdminScopeUseCases): readonly Route[] => [
  api({
    ...guarded,
    id: 'adminScopeHolders',
    summary: 'Who holds an admin scope, the oldest grant first',
    method: 'GET',
    path: '/admin/admin-scopes',
    query: grantQuery,
    result: grantPageJson,
    statuses: [422],
    async run(call, { query }) {
      const slice = readSlice(listRule, query);
      const { grants, total } = await adminScopes.holders(call, { scope: query.scope, ...slice });
      return { grants: grants.map(presentGrant), total, ...slice };
    },
  }),
  api({
    ...guarded,
    id: 'adminScopeList',
    summary: 'The admin scopes that a user holds',
    method: 'GET',
    path: ofUser,
    params: userParams,
    result: grantListJson,
    statuses: [404],
    async run(call, { params }) {
      const grants = await adminScopes.list(call, { userId: params.uid });
      return { grants: grants.map(presentGrant), total: grants.length };
    },
  }),
  api({
    ...guarded,
    id: 'adminScopeGrant',
    summary: 'Grant an admin scope to a user; one that is held stays as it is',
    method: 'POST',
    path: ofUser,
    params: userParams,
    body: grantBody,
    result: grantJson,
    statuses: [404, 422],
    run: async (call, { params, body }) =>
      presentGrant(await adminScopes.grant(call, { userId: params.uid, scope: body.scope })),
  }),
  api({
    ...guarded,
    id: 'adminScopeRevoke',
    summary: 'Take an admin scope away from a user, at once',
    method: 'DELETE',
    path: `${ofUser}/{scope}`,
    params: grantParams,
    result: 'empty',
    statuses: [404, 422],
    run: (call, { params }) => adminScopes.revoke(call, { userId: params.uid, scope: params.scope }),
  }),
];
