// A plugin that gives tests access to the database of a forge in this process; the embedded database accepts no other
// connection.
import { definePlugin, type SqlDatabase } from 'hexforge/plugin';
import { CompiledQuery } from 'kysely';
import type { PluginDefinition } from '#host/plugin/definition';

export interface DatabaseDoor {
  /** For `definitions` of the forge. */
  readonly definition: PluginDefinition;
  /** Runs one statement. */
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
