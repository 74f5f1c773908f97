// The administration of the instance: what its plugins are and may do.
import { definePlugin } from 'hexforge/plugin';
import { administrationScopes } from 'hexforge/administration';
import { pluginRoutes } from './plugins/routes.ts';

export default definePlugin({
  name: 'administration',
  version: '0.1.0',
  api: '^0.2.0',
  needs: ['PluginInventory'],
  scopes: administrationScopes,
  build: ({ PluginInventory }) => PluginInventory,
  routes: pluginRoutes,
});
