// Numbers that repositories give to what they have of a kind, on every engine.
import { sql } from 'kysely';
import type { MemoryDatabase } from '#adapters/memory/database';
import type { SqlDatabase } from '#adapters/postgres/database';

/**
 * The numbers of one kind. Whoever takes one or holds something of a repository does it by these first of all, so that
 * whoever deletes the repository, and with it all that follows, waits here or is waited for here: further down, each
 * would wait for the other.
 */
export interface Numbers {
  /**
   * Inside a unit of work: the next number of the repository, from 1. Others who take one there wait until it ends, and
   * where it fails the number is given again.
   */
  next(repositoryId: string): Promise<number>;
  /** Inside a unit of work: others who take a number there, or hold them, wait until it ends. */
  hold(repositoryId: string): Promise<void>;
  /** Inside a unit of work: the repository is not deleted until it ends. */
  holdRepository(repositoryId: string): Promise<void>;
}

/**
 * A store of numbers, to be used by the one of what has them.
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
 * @param table of the plugin, with `repository_id` and `last`, the last number that was given.
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
      // Two statements, which come in this order. Without a number there is nothing to hold.
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
      // Units of work come one after the other here.
      hold: async () => undefined,
      holdRepository: async () => undefined,
    };
  },
});
