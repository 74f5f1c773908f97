// The store of settings in PostgreSQL.
import { rawSql, type Kysely, type SqlDatabase } from 'hexforge/plugin';
import type { SettingStore } from 'hexforge/settings';
import { SettingTable, type SettingsRows } from '../tables.ts';

export function sqlSettingStore(database: SqlDatabase): SettingStore {
  const db = (): Kysely<SettingsRows> => database.kysely();
  return {
    all: () =>
      db().selectFrom('settings_setting').select(['key', 'text', 'sealed', 'updated_at as updatedAt']).execute(),
    async hold() {
      await rawSql`select pg_advisory_xact_lock(hashtextextended('settings.write', 0))`.execute(db());
    },
    async put(setting, hexforgePlugin) {
      await database.em().upsert(SettingTable, { ...setting, ...(hexforgePlugin !== undefined && { hexforgePlugin }) });
    },
  } satisfies SettingStore;
}
