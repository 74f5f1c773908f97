// The pages of the plugin inventory.
import { found, HtmlPage, page, superAdmin, type MenuEntry, type PluginInventory, type WebPage } from 'hexforge/plugin';
import { pluginList, pluginsPath, pluginView } from './views.ts';

const guarded = { access: superAdmin, scope: 'admin.plugins' } as const;

export const pluginPages = (inventory: PluginInventory): readonly WebPage[] => [
  page({
    ...guarded,
    id: 'adminPluginsPage',
    summary: 'The plugins with their states',
    path: '/admin/plugins',
    run: async () => new HtmlPage({ title: 'Plugins', width: 'wide', main: pluginList(await inventory.list()) }),
  }),
  page({
    ...guarded,
    id: 'adminPluginPage',
    summary: 'One plugin with its contributions and needs',
    path: '/admin/plugins/{name}',
    async run(_call, { params }) {
      const all = await inventory.list();
      const plugin = found(
        all.find(({ name }) => name === params.name),
        'There is no such plugin',
      );
      return new HtmlPage({ title: plugin.name, width: 'wide', main: pluginView(plugin) });
    },
  }),
];

export const pluginMenu = (inventory: PluginInventory): MenuEntry => ({
  id: 'adminPlugins',
  title: 'Plugins',
  path: pluginsPath,
  menu: 'admin',
  access: guarded.access,
  order: 90,
  about: 'What is enabled, its state, what it contributes and needs',
  count: async () => (await inventory.list()).length,
});
