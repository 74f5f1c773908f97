// The PostgreSQL extension that every database of a forge has, for the migrations of any plugin: `pg_trgm`.
import { CompiledQuery, type Kysely } from 'kysely';
import { DatabaseFault, StorageRefused } from '../statements/errors.ts';

/**
 * Creates the extension before any plugin's migrations, which must not create extensions. PostgreSQL lets every user
 * with the right to create in the database create this one.
 * @throws {StorageRefused} if it cannot be created or used.
 */
export async function ensureTrigrams<DB>(database: Kysely<DB>): Promise<void> {
  try {
    await database.executeQuery(CompiledQuery.raw('create extension if not exists pg_trgm'));
    await database.executeQuery(CompiledQuery.raw("select similarity('a', 'a')"));
  } catch (error) {
    // An unavailable database is not a missing extension.
    if (!(error instanceof DatabaseFault)) throw error;
    throw new StorageRefused(
      `The database lacks the extension "pg_trgm": ${error.message}`,
      'Install the package with the extensions of PostgreSQL (contrib) on its server, and as the owner of the database or a superuser run there: create extension pg_trgm schema public',
      error,
    );
  }
}
