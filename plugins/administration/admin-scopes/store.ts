// The store of grants of admin scopes in PostgreSQL.
import type { AdminGrantStore } from 'hexforge/administration';
import { countOf, type Kysely, type SqlDatabase } from 'hexforge/plugin';
import type { AdministrationRows } from '../tables.ts';

const columns = ['user_id as userId', 'scope', 'granted_by as grantedBy', 'created_at as createdAt'] as const;

export function sqlAdminGrantStore(database: SqlDatabase): AdminGrantStore {
  const db = (): Kysely<AdministrationRows> => database.kysely<AdministrationRows>();
  return {
    async add({ userId, scope, grantedBy, createdAt }) {
      const { numInsertedOrUpdatedRows } = await db()
        .insertInto('administration_grant')
        .values({ user_id: userId, scope, granted_by: grantedBy, created_at: createdAt })
        .onConflict((held) => held.doNothing())
        .executeTakeFirst();
      return (numInsertedOrUpdatedRows ?? 0n) > 0n;
    },
    async remove(userId, scope) {
      const { numDeletedRows } = await db()
        .deleteFrom('administration_grant')
        .where('user_id', '=', userId)
        .where('scope', '=', scope)
        .executeTakeFirst();
      return numDeletedRows > 0n;
    },
    ofUser: (userId) =>
      db().selectFrom('administration_grant').select(columns).where('user_id', '=', userId).orderBy('scope').execute(),
    async ofScope(scope, { limit, offset }) {
      const granted = db().selectFrom('administration_grant').where('scope', '=', scope);
      const grants = await granted
        .select(columns)
        .orderBy('created_at')
        .orderBy('user_id')
        .limit(limit)
        .offset(offset)
        .execute();
      return { grants, total: await countOf(granted) };
    },
  } satisfies AdminGrantStore;
}
