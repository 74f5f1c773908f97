// The store of settings in memory.
import type { MemoryDatabase } from 'hexforge/plugin';
import type { SettingStore, StoredSetting } from 'hexforge/settings';

export function memorySettingStore(database: MemoryDatabase): SettingStore {
  const settings = database.table<StoredSetting>('settings_setting', { key: 'key' });
  return {
    all: async () => settings.all(),
    // Units of work run one after the other in memory, so there is nothing to lock.
    hold: async () => undefined,
    put: async (setting) => settings.upsert(setting),
  } satisfies SettingStore;
}
