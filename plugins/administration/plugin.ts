// The plugin "administration": lists the plugins of the instance, and manages who has which admin scope.
import { definePlugin } from 'hexforge/plugin';
import { administrationEvents, administrationScopes } from 'hexforge/administration';
import { adminScopeUseCases, recordPluginChanges } from '#core/administration/use-cases';
import { adminScopeRoutes } from './admin-scopes/routes.ts';
import { adminGrantStore } from './admin-scopes/store.ts';
import { knownPluginStore } from './known-plugins/store.ts';
import { migrations } from './migrations.ts';
import { pluginRoutes } from './plugins/routes.ts';
import { administrationEntities } from './tables.ts';

export default definePlugin({
  name: 'administration',
  version: '0.1.0',
  api: '^0.2.0',
  needs: ['AuditLog', 'Clock', 'Events', 'Locks', 'PluginInventory', 'UnitOfWork', 'Users'],
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
  build(context) {
    const { stores, AuditLog: audit, UnitOfWork: unitOfWork, PluginInventory: inventory } = context;
    return {
      inventory,
      adminScopes: adminScopeUseCases({
        grants: stores.grants,
        users: context.Users,
        events: context.Events,
        unitOfWork,
        audit,
      }),
      recordPluginChanges: recordPluginChanges({
        known: stores.knownPlugins,
        locks: context.Locks,
        clock: context.Clock,
        inventory,
        unitOfWork,
        audit,
      }),
    };
  },
  provides: { AdminGrants: ({ adminScopes }) => adminScopes.port },
  routes: ({ inventory, adminScopes }) => [...pluginRoutes(inventory), ...adminScopeRoutes(adminScopes)],
  start: ({ recordPluginChanges: record }) => record(),
});
