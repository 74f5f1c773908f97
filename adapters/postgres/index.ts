// The SQL adapter of storage: PostgreSQL, or the embedded database.
export type { Migration, SqlDatabase } from './database.ts';
export { StorageRefused } from './errors.ts';
export type { MigrationSet } from './migration-records.ts';
export type { MigrationOutcome } from './migrations.ts';
export { openPostgres, type PostgresOptions, type PostgresStorage } from './open.ts';
export type { Remains } from './purge.ts';
