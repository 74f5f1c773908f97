// The routes of the plugin inventory, for administrators.
import { api, list, superAdmin, type PluginInventory, type Route } from 'hexforge/plugin';
import { pluginJson } from './schemas.ts';

export const pluginRoutes = (inventory: PluginInventory): readonly Route[] => [
  api({
    id: 'adminPluginList',
    summary: 'List the plugins: how each stands, and what it may do',
    method: 'GET',
    path: '/admin/plugins',
    access: superAdmin,
    scope: 'admin.plugins',
    result: list(pluginJson),
    run: () => inventory.list(),
  }),
];
