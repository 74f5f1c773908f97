// The plugin "settings": instance settings that administrators change while the forge runs.
import { definePlugin, on } from 'hexforge/plugin';
import { settingAudits, settingsScopes } from 'hexforge/settings';
import { settingsUseCases } from '#core/settings/use-cases';
import { migrations } from './migrations.ts';
import { settingMenu, settingPages } from './settings/pages.ts';
import { settingRoutes } from './settings/routes.ts';
import { settingStore } from './settings/store.ts';
import { SettingTable } from './tables.ts';

export default definePlugin({
  name: 'settings',
  version: '0.1.0',
  api: '^0.2.0',
  needs: ['AuditLog', 'Clock', 'Events', 'Sealer', 'SettingCatalogue', 'UnitOfWork'],
  stores: { settings: settingStore },
  entities: [SettingTable],
  tables: ['settings_setting'],
  emits: ['setting.changed'],
  audits: settingAudits,
  migrations,
  scopes: settingsScopes,
  build: (context) =>
    settingsUseCases({
      store: context.stores.settings,
      audit: context.AuditLog,
      catalogue: context.SettingCatalogue,
      clock: context.Clock,
      events: context.Events,
      log: context.log,
      sealer: context.Sealer,
      unitOfWork: context.UnitOfWork,
    }),
  provides: {
    Settings: ({ settings }) => settings,
    SettingForms: ({ administration }) => administration,
    SealedRecords: ({ sealed }) => sealed,
  },
  routes: settingRoutes,
  pages: settingPages,
  menu: (useCases) => [settingMenu(useCases)],
  events: ({ forget }) => [
    on('setting.changed', { name: 'forget', delivery: 'broadcast', handle: async () => forget() }),
  ],
  start: async ({ sealed }) => void (await sealed.reseal()),
});
