// The stores of grants, in SQL and in memory: simple rows, and the removal of many at once.
import { rawSql, type MemoryDatabase, type SqlDatabase } from 'hexforge/plugin';
import type { Grant, GrantStore } from 'hexforge/oauth';
import { codeRows, db, familyRows, grantRows, GrantTable } from '../tables.ts';

export function sqlGrantStore(database: SqlDatabase): GrantStore {
  return {
    ...grantRows.sql(database),
    deleteAll: (where) => database.em().nativeDelete(GrantTable, where),
    async prune(now, most) {
      const left = db(database)
        .selectFrom('oauth_server_grant')
        .select('id')
        // A JSON column may contain SQL null or JSON null.
        .where((is) => is.or([is('remembered', 'is', null), is(is.fn('jsonb_typeof', ['remembered']), '=', 'null')]))
        .where(rawSql<boolean>`not exists (select from oauth_server_family f where f.grant_id = oauth_server_grant.id)`)
        .where(
          rawSql<boolean>`not exists (
            select from oauth_server_code c where c.grant_id = oauth_server_grant.id and c.expires_at > ${now}
          )`,
        )
        .limit(most);
      const { numDeletedRows } = await db(database)
        .deleteFrom('oauth_server_grant')
        .where('id', 'in', left)
        .executeTakeFirst();
      return Number(numDeletedRows);
    },
  } satisfies GrantStore;
}

export function memoryGrantStore(database: MemoryDatabase): GrantStore {
  const { table, ...all } = grantRows.memory(database);
  const codes = codeRows.memory(database).table;
  const families = familyRows.memory(database).table;
  return {
    ...all,
    deleteAll: async (where) => table.deleteWhere(where),
    async prune(now, most) {
      const where = ({ id, remembered }: Grant): boolean =>
        remembered === null &&
        families.count({ grantId: id }) === 0 &&
        codes.count(({ grantId, expiresAt }) => grantId === id && expiresAt > now) === 0;
      return table.find({ where, limit: most }).filter(({ id }) => table.delete(id)).length;
    },
  } satisfies GrantStore;
}
