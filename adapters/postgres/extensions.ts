// Extensions of PostgreSQL that every database of a forge has, for the migrations of any plugin: `pg_trgm`.
import { CompiledQuery, type Kysely } from 'kysely';
import { DatabaseFault, StorageRefused } from './errors.ts';

/**
 * Before any plugin's migrations, which may not make one. PostgreSQL trusts whoever may create in the database with it.
 * @throws {StorageRefused} where it cannot be made, or is out of reach.
 */
export async function ensureTrigrams<DB>(database: Kysely<DB>): Promise<void> {
  try {
    await database.executeQuery(CompiledQuery.raw('create extension if not exists pg_trgm'));
    await database.executeQuery(CompiledQuery.raw("select similarity('a', 'a')"));
  } catch (error) {
    // A database that went away lacks nothing.
    if (!(error instanceof DatabaseFault)) throw error;
    throw new StorageRefused(
      `The database lacks the extension "pg_trgm": ${error.message}`,
      'Install the package with the extensions of PostgreSQL (contrib) on its server, and as the owner of the database or a superuser run there: create extension pg_trgm schema public',
      error,
    );
  }
}
