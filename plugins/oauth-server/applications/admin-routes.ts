// The routes of all applications of the instance, for users with the scope admin:oauth2.
import { admin, api, pageRules, presentPage, readPage, type Route } from 'hexforge/plugin';
import type { Users } from 'hexforge/identity';
import type { OAuthUseCases } from '#core/oauth/use-cases';
import { applicationPresenter, presentApplication, presentEntry, presentGrant } from './present.ts';
import {
  applicationAuditPageJson,
  applicationGrantPageJson,
  applicationJson,
  applicationPageJson,
  applicationPageQuery,
  applicationSearchQuery,
} from './schemas.ts';

export const administering = { access: admin('admin:oauth2'), scope: 'admin.oauth' } as const;
const one = '/admin/oauth2/apps/{id}';

export const applicationAdminRoutes = ({ administration }: OAuthUseCases, users: () => Users): readonly Route[] => [
  api({
    ...administering,
    id: 'adminApplicationList',
    summary: 'All applications, by name',
    method: 'GET',
    path: '/admin/oauth2/apps',
    query: applicationSearchQuery,
    result: applicationPageJson,
    async run(call, { query }) {
      const page = await administration.list(call, query.q, readPage(pageRules.orDefault(), query));
      return presentPage(page, await applicationPresenter(users(), page.items));
    },
  }),
  api({
    ...administering,
    id: 'adminApplicationFetch',
    summary: 'An application',
    method: 'GET',
    path: one,
    result: applicationJson,
    statuses: [404],
    run: async (call, { params }) => presentApplication(users(), await administration.fetch(call, params)),
  }),
  api({
    ...administering,
    id: 'adminApplicationDelete',
    summary: 'Delete an application, with all that was granted to it',
    method: 'DELETE',
    path: one,
    result: 'empty',
    statuses: [404],
    run: (call, { params }) => administration.delete(call, params),
  }),
  ...(['suspend', 'unsuspend'] as const).map((act) =>
    api({
      ...administering,
      id: act === 'suspend' ? 'adminApplicationSuspend' : 'adminApplicationUnsuspend',
      summary:
        act === 'suspend'
          ? 'Suspend an application: every token of it ends at once, for good'
          : 'Let a suspended application ask again',
      method: 'POST',
      path: `${one}/${act}` as typeof one,
      result: applicationJson,
      statuses: [404],
      run: async (call, { params }) => presentApplication(users(), await administration[act](call, params)),
    }),
  ),
  api({
    ...administering,
    id: 'adminApplicationGrants',
    summary: 'Which users have granted an application what',
    method: 'GET',
    path: `${one}/grants`,
    query: applicationPageQuery,
    result: applicationGrantPageJson,
    statuses: [404],
    async run(call, { params, query }) {
      const page = await administration.grants(call, params, readPage(pageRules.orDefault(), query));
      const of = await users().byIds(page.items.map(({ userId }) => userId));
      return presentPage(page, (grant) => {
        const user = of.get(grant.userId);
        return { user: user === undefined ? null : { id: user.id, username: user.username }, ...presentGrant(grant) };
      });
    },
  }),
  api({
    ...administering,
    id: 'adminApplicationAudit',
    summary: 'What the audit log knows of an application',
    method: 'GET',
    path: `${one}/audit`,
    query: applicationPageQuery,
    result: applicationAuditPageJson,
    run: async (call, { params, query }) =>
      presentPage(await administration.audit(call, params, readPage(pageRules.orDefault(), query)), presentEntry),
  }),
];
