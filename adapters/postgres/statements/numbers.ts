// Consecutive numbers per repository in a table.
import { sql } from 'kysely';
import type { Numbers } from '#core/kernel/storage/numbers';
import type { SqlDatabase } from './database.ts';

/** @param table has the columns `repository_id` and `last`. */
export function sqlNumbers(database: SqlDatabase, table: string): Numbers {
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
}
