// The stores of settings, in SQL and in memory.
import { rows, storeOf } from 'hexforge/plugin';
import type { SettingStore, StoredSetting } from 'hexforge/settings';
import { SettingTable } from '../tables.ts';

export const settingStore = storeOf(
  { settings: rows<StoredSetting & { readonly hexforgePlugin?: string }>(SettingTable) },
  ({ settings }): SettingStore => ({
    all: async () =>
      (await settings.find({ where: {}, orderBy: [] })).map(({ hexforgePlugin: _, ...setting }) => setting),
    hold: () => settings.hold({}),
    async remove(key) {
      await settings.delete({ key });
    },
    put: (setting, hexforgePlugin) =>
      settings.put({ ...setting, ...(hexforgePlugin !== undefined && { hexforgePlugin }) }),
  }),
);
