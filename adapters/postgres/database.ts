// The interface of SQL stores: what a plugin's store works with, and the form of a migration.
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Kysely } from 'kysely';

/** The database of SQL stores, PostgreSQL or the embedded one. */
export interface SqlDatabase {
  /**
   * The entity manager of the unit of work that is open; outside of one a fresh fork, for reads. Call it in every
   * method, never keep it.
   */
  em(): EntityManager;
  /**
   * Typed queries with real binds, on the transaction that is open, or outside of one. `DB` maps table and view names
   * to rows.
   */
  kysely<DB>(): Kysely<DB>;
}

/** One step of a plugin's schema. Frozen by hash once released: a changed one is refused at boot. */
export interface Migration {
  /** `001-accounts`; runs in the order listed. */
  readonly name: string;
  /**
   * Statements for PostgreSQL 15 and later, each a string of its own; run in one transaction with all other migrations
   * that the plugin lacks.
   */
  readonly up: readonly string[];
}
