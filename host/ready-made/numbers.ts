// Makes the stores of consecutive numbers per repository, in SQL and in memory.
import type { MemoryDatabase } from '#adapters/memory/database';
import { memoryNumbers } from '#adapters/memory/numbers';
import type { SqlDatabase } from '#adapters/postgres/statements/database';
import { sqlNumbers } from '#adapters/postgres/statements/numbers';
import type { Numbers } from '#core/kernel/storage/numbers';

/**
 * Makes a store of numbers, to be used by the store of the numbered things.
 *
 * @example
 *   // create table bell_tower_number (
 *   //   repository_id uuid primary key references repositories_repository (id) on delete cascade,
 *   //   last integer not null
 *   // )
 *   const bellNumbers = numbers('bell_tower_number');
 *   const sqlBellStore = (database: SqlDatabase) => {
 *     const { next } = bellNumbers.sql(database);
 *     return { nextNumber: next };
 *   };
 *
 * @param table A table of the plugin with `repository_id` and `last`, the last number that was given.
 */
export const numbers = (table: string): { sql(db: SqlDatabase): Numbers; memory(db: MemoryDatabase): Numbers } => ({
  sql: (db) => sqlNumbers(db, table),
  memory: (db) => memoryNumbers(db, table),
});
