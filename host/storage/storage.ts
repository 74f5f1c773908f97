// The storage of all plugins: SQL for all of them or memory for all of them, never mixed.
import type { MemoryDatabase } from '#adapters/memory/database';
import type { MigrationSet, PostgresStorage } from '#adapters/postgres/index';
import type { Storage } from '#core/kernel/storage/storage';
import { heldMemory } from '../plugin/declared.ts';
import type { PluginDefinition } from '../plugin/definition.ts';
import type { Provision } from '../plugin/plan.ts';

export type OpenStorage = Storage &
  (
    | ({ readonly column: 'sql' } & Pick<PostgresStorage, 'database' | 'migrate' | 'pending' | 'purge'>)
    | { readonly column: 'memory'; readonly database: MemoryDatabase }
  );

/** A plugin's own stores, for the engine in use. */
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

/** The migrations of all plugins in the order of dependencies, so that the tables of foreign keys exist. */
export function migrationsOf(
  sorted: readonly PluginDefinition[],
  dependenciesOf: Provision['dependenciesOf'],
): readonly MigrationSet[] {
  const below = new Map<string, ReadonlySet<string>>();
  for (const definition of sorted)
    below.set(
      definition.name,
      new Set(dependenciesOf(definition).flatMap(({ name }) => [name, ...(below.get(name) ?? [])])),
    );
  return sorted.flatMap(({ name: plugin, onFailure, migrations = [], tables = [], references = [] }) =>
    migrations.length === 0 && tables.length === 0
      ? []
      : {
          plugin,
          migrations,
          tables,
          references,
          after: [...(below.get(plugin) ?? [])],
          vital: onFailure !== 'isolate',
        },
  );
}
