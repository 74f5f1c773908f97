// The SQL adapter of storage: PostgreSQL, or the embedded database.
export type { Migration, SqlDatabase } from './statements/database.ts';
export { StorageRefused } from './statements/errors.ts';
export type { MigrationSet } from './migrations/migration-records.ts';
export type { MigrationOutcome } from './migrations/migrations.ts';
export { openPostgres, type PostgresOptions, type PostgresStorage } from './open.ts';
export type { Remains } from './migrations/purge.ts';
