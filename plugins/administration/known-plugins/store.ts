// The store of the plugins that were enabled at the last start, in PostgreSQL.
import type { KnownPluginStore } from 'hexforge/administration';
import type { Kysely, SqlDatabase } from 'hexforge/plugin';
import type { AdministrationRows } from '../tables.ts';

export function sqlKnownPluginStore(database: SqlDatabase): KnownPluginStore {
  const db = (): Kysely<AdministrationRows> => database.kysely<AdministrationRows>();
  return {
    all: async () =>
      (await db().selectFrom('administration_known_plugin').select('name').orderBy('name').execute()).map(
        ({ name }) => name,
      ),
    async change(added, gone) {
      if (gone.length > 0)
        await db()
          .deleteFrom('administration_known_plugin')
          .where('name', 'in', [...gone])
          .execute();
      if (added.length > 0)
        await db()
          .insertInto('administration_known_plugin')
          .values(added.map((name) => ({ name })))
          .onConflict((known) => known.doNothing())
          .execute();
    },
  } satisfies KnownPluginStore;
}
