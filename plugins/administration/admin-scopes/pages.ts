// The page of grants of admin scopes.
import {
  admin,
  form,
  HtmlPage,
  page,
  pageQuery,
  pageRules,
  readPage,
  shape,
  text,
  uuid,
  word,
  type MenuEntry,
  type WebPage,
} from 'hexforge/plugin';
import type { AdminScopeUseCases } from '#core/administration/use-cases';
import { grantsView, scopesPath } from './views.ts';

const guarded = { access: admin('admin:roles'), scope: 'admin.system' } as const;
const name = () => text().max(100).default('');

export const adminScopePages = (adminScopes: AdminScopeUseCases): readonly WebPage[] => [
  page({
    ...guarded,
    id: 'adminScopesPage',
    summary: 'Who holds which admin scope',
    path: '/admin/admin-scopes',
    query: shape({ ...pageQuery, scope: name(), user: name() }),
    async run(call, { query, url, refused }) {
      const { scope, user: username } = query;
      const { users, ...grants } = await adminScopes.page(call, {
        ...readPage(pageRules.orDefault(50), query),
        scope: scope === '' ? undefined : scope,
        username: username === '' ? undefined : username,
      });
      return new HtmlPage({
        title: 'Admin scopes',
        width: 'wide',
        main: grantsView({ grants, users, scope, username, url }, call, refused),
      });
    },
    forms: [
      form({
        ...guarded,
        id: 'adminScopeGrantForm',
        summary: 'Grants an admin scope to a user',
        path: '/admin/admin-scopes/grant',
        body: shape({ username: word().max(100), scope: word().max(100) }),
        async run(call, { body: { username, scope } }) {
          const { id: userId } = await adminScopes.named(call, { username });
          await adminScopes.grant(call, { userId, scope });
          return scopesPath;
        },
      }),
      form({
        ...guarded,
        id: 'adminScopeRevokeForm',
        summary: 'Revokes an admin scope of a user',
        path: '/admin/admin-scopes/revoke',
        body: shape({ user_id: uuid(), scope: word().max(100) }),
        async run(call, { body: { user_id: userId, scope } }) {
          await adminScopes.revoke(call, { userId, scope });
          return scopesPath;
        },
      }),
    ],
  }),
];

export const adminScopeMenu = (adminScopes: AdminScopeUseCases): MenuEntry => ({
  id: 'adminScopes',
  title: 'Admin scopes',
  path: scopesPath,
  menu: 'admin',
  access: guarded.access,
  order: 14,
  about: 'Who administers what, without being an instance administrator',
  count: async (call) =>
    (await adminScopes.page(call, { page: 1, perPage: 1, scope: undefined, username: undefined })).total,
});
