// The SQL column of storage: PostgreSQL, or the embedded one.
export type { Migration, SqlDatabase } from './database.ts';
export { StorageRefused } from './errors.ts';
export type { MigrationName, MigrationSet } from './migrations.ts';
export { openPostgres, type PostgresOptions, type PostgresStorage } from './open.ts';
