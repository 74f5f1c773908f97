// The database of a forge in this process, from inside it: the embedded one has no other door while it runs.
import { definePlugin, type SqlDatabase } from 'hexforge/plugin';
import { CompiledQuery } from 'kysely';
import type { PluginDefinition } from '#host/definition';

export interface DatabaseDoor {
  /** For `definitions` of the forge. */
  readonly definition: PluginDefinition;
  /** One statement. */
  run(sql: string, parameters?: readonly unknown[]): Promise<readonly Readonly<Record<string, unknown>>[]>;
}

export function databaseDoor(): DatabaseDoor {
  let database: SqlDatabase | undefined;
  return {
    definition: definePlugin({
      name: 'door',
      version: '1.0.0',
      api: '*',
      stores: {
        rows: { sql: (db: SqlDatabase): { db?: SqlDatabase } => ({ db }), memory: (): { db?: SqlDatabase } => ({}) },
      },
      build: ({ stores }) => void (database = stores.rows.db),
    }),
    async run(sql, parameters = []) {
      if (database === undefined) throw new Error('there is no database');
      return (await database.kysely().executeQuery<Record<string, unknown>>(CompiledQuery.raw(sql, [...parameters])))
        .rows;
    },
  };
}
