// The database of a forge in this process, from inside it: the embedded one has no other door while it runs.
import { definePlugin, type SqlDatabase } from 'hexforge/plugin';
import { CompiledQuery } from 'kysely';
import type { PluginDefinition } from '#host/definition';

export interface DatabaseDoor {
  /** For `definitions` of the forge. */
  readonly definition: PluginDefinition;
  /** As a store has it. */
  sql(): SqlDatabase;
  /** One statement. */
  run(sql: string, parameters?: readonly unknown[]): Promise<readonly Readonly<Record<string, unknown>>[]>;
}

export function databaseDoor(): DatabaseDoor {
  let database: SqlDatabase | undefined;
  const sql = (): SqlDatabase => {
    if (database === undefined) throw new Error('there is no database');
    return database;
  };
  return {
    sql,
    definition: definePlugin({
      name: 'door',
      version: '1.0.0',
      api: '*',
      stores: {
        rows: { sql: (db: SqlDatabase): { db?: SqlDatabase } => ({ db }), memory: (): { db?: SqlDatabase } => ({}) },
      },
      build: ({ stores }) => void (database = stores.rows.db),
    }),
    run: async (statement, parameters = []) =>
      (
        await sql()
          .kysely()
          .executeQuery<Record<string, unknown>>(CompiledQuery.raw(statement, [...parameters]))
      ).rows,
  };
}
