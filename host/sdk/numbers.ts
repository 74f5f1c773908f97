// Stores of numbers: consecutive numbers per repository for things of one kind, on every engine.
import { sql } from 'kysely';
import type { MemoryDatabase } from '#adapters/memory/database';
import type { SqlDatabase } from '#adapters/postgres/statements/database';

/**
 * The numbers of one kind. Operations that take a number, or that lock other rows of the repository, must call one of
 * these methods first, which locks the repository's row. A deletion of the repository also starts with that row. If the
 * row were locked later, the two could deadlock.
 */
export interface Numbers {
  /**
   * Must be called in a unit of work. Returns the next number of the repository, starting with 1. Concurrent calls for
   * the repository wait until the unit of work ends; if it fails, the number is used again.
   */
  next(repositoryId: string): Promise<number>;
  /** Must be called in a unit of work. Concurrent `next` and `hold` calls for the repository wait until it ends. */
  hold(repositoryId: string): Promise<void>;
  /** Must be called in a unit of work. The repository cannot be deleted until it ends. */
  holdRepository(repositoryId: string): Promise<void>;
}

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
  sql(database) {
    const db = () => database.kysely<object>();
    const holdRepository = async (id: string): Promise<void> => {
      await sql`select from repositories_public_repository where id = ${id} for key share`.execute(db());
    };
    return {
      holdRepository,
      async next(repositoryId) {
        await holdRepository(repositoryId);
        const { rows } = await sql<{ readonly last: number }>`
          insert into ${sql.table(table)} as n (repository_id, last) values (${repositoryId}, 1)
          on conflict (repository_id) do update set last = n.last + 1 returning last
        `.execute(db());
        const [{ last }] = rows as [(typeof rows)[number]];
        return last;
      },
      // Both statements use one connection, so they run in this order. If no number was given yet, there is no row to
      // lock.
      async hold(repositoryId) {
        await Promise.all([
          holdRepository(repositoryId),
          sql`select from ${sql.table(table)} where repository_id = ${repositoryId} for update`.execute(db()),
        ]);
      },
    };
  },
  memory(database) {
    const last = database.table<{ readonly repositoryId: string; readonly last: number }>(table, {
      key: 'repositoryId',
      references: { repositoryId: { table: 'repositories_repository', onDelete: 'cascade' } },
    });
    return {
      async next(repositoryId) {
        const number = (last.get(repositoryId)?.last ?? 0) + 1;
        last.upsert({ repositoryId, last: number });
        return number;
      },
      // Units of work run one after the other in memory.
      hold: async () => undefined,
      holdRepository: async () => undefined,
    };
  },
});
