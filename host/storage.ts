// The storage under all plugins: SQL or memory for all of them, never mixed.
import type { MemoryDatabase } from '#adapters/memory/database';
import type { Migration, SqlDatabase } from '#adapters/postgres/database';
import type { Storage } from '#core/kernel/storage';
import { heldMemory } from './declared.ts';
import type { PluginDefinition } from './definition.ts';

export interface MigrationSet {
  readonly plugin: string;
  readonly migrations: readonly Migration[];
}

export interface AppliedMigration {
  readonly plugin: string;
  readonly name: string;
}

export type OpenStorage = Storage &
  (
    | {
        readonly column: 'sql';
        readonly database: SqlDatabase;
        /** Applies what is pending, in the order of the sets, under a lock across processes. */
        migrate(sets: readonly MigrationSet[]): Promise<readonly AppliedMigration[]>;
        pending(sets: readonly MigrationSet[]): Promise<readonly AppliedMigration[]>;
      }
    | { readonly column: 'memory'; readonly database: MemoryDatabase }
  );

/** A plugin's own stores, made from the column in use. */
export function storesOf(definition: PluginDefinition, storage: OpenStorage): Readonly<Record<string, unknown>> {
  const stores = Object.entries(definition.stores ?? {});
  return Object.fromEntries(
    stores.map(([name, columns]) => [
      name,
      storage.column === 'sql'
        ? columns.sql(storage.database)
        : columns.memory(heldMemory(definition, storage.database)),
    ]),
  );
}

export const entitiesOf = (definitions: readonly PluginDefinition[]): readonly object[] =>
  definitions.flatMap(({ entities = [] }) => entities);

/** In the order of needs, so that a foreign key finds its table. */
export const migrationsOf = (sorted: readonly PluginDefinition[]): readonly MigrationSet[] =>
  sorted.flatMap(({ name, migrations = [] }) => (migrations.length === 0 ? [] : [{ plugin: name, migrations }]));
