// The interface of SQL stores: the database that a plugin's store uses, and the form of a migration.
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Kysely } from 'kysely';

/** The database of SQL stores, PostgreSQL or the embedded one. */
export interface SqlDatabase {
  /**
   * The entity manager of the open unit of work; outside of one a fresh fork, for reads. Call it in every method, never
   * keep it.
   */
  em(): EntityManager;
  /**
   * Typed queries with bound parameters, on the open transaction, or outside of one. `DB` maps table and view names to
   * rows.
   */
  kysely<DB>(): Kysely<DB>;
}

/** One step of a plugin's schema. A released migration must not change: its hash is checked at start. */
export interface Migration {
  /** `001-accounts`; migrations run in the order listed. */
  readonly name: string;
  /**
   * Statements for PostgreSQL 15 and later, one per string. They run in one transaction with all other migrations that
   * the plugin lacks.
   */
  readonly up: readonly string[];
}
