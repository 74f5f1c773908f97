// The stores of grants, in SQL and in memory: simple rows, and the removal of many at once.
import { rows, type MemoryDatabase, type SqlDatabase } from 'hexforge/plugin';
import type { Grant, GrantStore } from 'hexforge/oauth';
import { codes, families, grantConstraints, grants } from '../tables-memory.ts';
import { db, GrantTable } from '../tables.ts';

const simple = rows<Grant>(GrantTable, grantConstraints);

export function sqlGrantStore(database: SqlDatabase): GrantStore {
  return {
    ...simple.sql(database),
    deleteAll: (where) => database.em().nativeDelete(GrantTable, where),
    async prune(now, most) {
      const left = db(database)
        .selectFrom('oauth_server_grant')
        .select('oauth_server_grant.id')
        // A JSON column may contain SQL null or JSON null.
        .where((is) => is.or([is('remembered', 'is', null), is(is.fn('jsonb_typeof', ['remembered']), '=', 'null')]))
        .where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom('oauth_server_family')
                .select('oauth_server_family.id')
                .whereRef('oauth_server_family.grant_id', '=', 'oauth_server_grant.id'),
            ),
          ),
        )
        .where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom('oauth_server_code')
                .select('oauth_server_code.hash')
                .whereRef('oauth_server_code.grant_id', '=', 'oauth_server_grant.id')
                .where('oauth_server_code.expires_at', '>', now),
            ),
          ),
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
  const table = grants(database);
  const [asked, begun] = [codes(database), families(database)];
  return {
    ...simple.memory(database),
    deleteAll: async (where) => table.deleteWhere(where),
    async prune(now, most) {
      const where = ({ id, remembered }: Grant): boolean =>
        remembered === null &&
        begun.count({ grantId: id }) === 0 &&
        asked.count(({ grantId, expiresAt }) => grantId === id && expiresAt > now) === 0;
      return table.find({ where, limit: most }).filter(({ id }) => table.delete(id)).length;
    },
  } satisfies GrantStore;
}
