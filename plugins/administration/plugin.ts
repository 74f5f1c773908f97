// The plugin "administration": lists the plugins of the instance, and manages who has which admin scope.
import { definePlugin } from 'hexforge/plugin';
import { administrationAudits, administrationEvents, administrationScopes } from 'hexforge/administration';
import { adminScopeUseCases, recordPluginChanges } from '#core/administration/use-cases';
import { adminScopeMenu, adminScopePages } from './admin-scopes/pages.ts';
import { adminScopeRoutes } from './admin-scopes/routes.ts';
import { adminGrantStore } from './admin-scopes/store.ts';
import { knownPluginStore } from './known-plugins/store.ts';
import { migrations } from './migrations.ts';
import { overviewMenu, overviewPages } from './overview/pages.ts';
import { pluginMenu, pluginPages } from './plugins/pages.ts';
import { pluginRoutes } from './plugins/routes.ts';
import { administrationEntities } from './tables.ts';

export default definePlugin({
  name: 'administration',
  version: '0.1.0',
  api: '^0.2.0',
  needs: [
    'AccessDecision',
    'AuditLog',
    'Clock',
    'Events',
    'Locks',
    'PageRegistry',
    'PluginInventory',
    'UnitOfWork',
    'Users',
  ],
  stores: {
    grants: adminGrantStore,
    knownPlugins: knownPluginStore,
  },
  entities: administrationEntities,
  tables: ['administration_grant', 'administration_known_plugin'],
  references: ['identity_user'],
  migrations,
  scopes: administrationScopes,
  emits: administrationEvents,
  audits: administrationAudits,
  build: ({ stores, ...context }) =>
    adminScopeUseCases({
      grants: stores.grants,
      audit: context.AuditLog,
      events: context.Events,
      unitOfWork: context.UnitOfWork,
      users: context.Users,
    }),
  provides: { AdminGrants: ({ port }) => port },
  routes: (adminScopes, context) => [...pluginRoutes(context.PluginInventory), ...adminScopeRoutes(adminScopes)],
  pages: (adminScopes, { AccessDecision: access, PageRegistry: registry, PluginInventory: inventory, log }) => [
    ...overviewPages({ access, registry, inventory, log }),
    ...adminScopePages(adminScopes),
    ...pluginPages(inventory),
  ],
  menu: (adminScopes, context) => [overviewMenu, adminScopeMenu(adminScopes), pluginMenu(context.PluginInventory)],
  start: (_parts, { stores, ...context }) =>
    recordPluginChanges({
      known: stores.knownPlugins,
      audit: context.AuditLog,
      clock: context.Clock,
      inventory: context.PluginInventory,
      locks: context.Locks,
      unitOfWork: context.UnitOfWork,
    }),
});
