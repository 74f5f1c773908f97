// The store of stars and watches in PostgreSQL.
import type { Kysely, SqlDatabase } from 'hexforge/plugin';
import type { MarkStore } from 'hexforge/repositories';
import { markTables, type RepositoriesRows } from '../tables.ts';

export function sqlMarkStore(database: SqlDatabase): MarkStore {
  const db = (): Kysely<RepositoriesRows> => database.kysely<RepositoriesRows>();
  return {
    async set(mark, repositoryId, userId, at) {
      const { numInsertedOrUpdatedRows } = await db()
        .insertInto(markTables[mark])
        .values({ repository_id: repositoryId, user_id: userId, created_at: at })
        .onConflict((conflict) => conflict.doNothing())
        .executeTakeFirst();
      return (numInsertedOrUpdatedRows ?? 0n) > 0n;
    },

    async has(mark, repositoryId, userId) {
      const row = await db()
        .selectFrom(markTables[mark])
        .select('user_id')
        .where('repository_id', '=', repositoryId)
        .where('user_id', '=', userId)
        .executeTakeFirst();
      return row !== undefined;
    },

    async remove(mark, repositoryId, userId) {
      const { numDeletedRows } = await db()
        .deleteFrom(markTables[mark])
        .where('repository_id', '=', repositoryId)
        .where('user_id', '=', userId)
        .executeTakeFirst();
      return numDeletedRows > 0n;
    },
  } satisfies MarkStore;
}
