// The store of external identities in PostgreSQL.
import type { ExternalIdentity, ExternalIdentityStore } from 'hexforge/identity';
import { columnsOf, type SqlDatabase } from 'hexforge/plugin';
import { ExternalTable, rows, UsedAnswerTable } from '../tables.ts';

const columns = columnsOf(ExternalTable, 'identity_external', { except: ['key'] });

export function sqlExternalIdentityStore(db: SqlDatabase): ExternalIdentityStore {
  const table = () => rows(db).selectFrom('identity_external').select(columns);
  return {
    async insert(identity, key) {
      await db.em().insert(ExternalTable, { ...identity, key });
    },
    byKey: (key) => table().where('key', '=', key).executeTakeFirst(),
    ofUser: (userId) => table().where('user_id', '=', userId).orderBy('created_at').orderBy('id').execute(),
    delete: (userId, id): Promise<ExternalIdentity | undefined> =>
      rows(db)
        .deleteFrom('identity_external')
        .where('user_id', '=', userId)
        .where('id', '=', id)
        .returning(columns)
        .executeTakeFirst(),
    async use(hash, expiresAt) {
      await db.em().insert(UsedAnswerTable, { hash, expiresAt });
    },
    async isUsed(hash) {
      const found = await rows(db)
        .selectFrom('identity_used_answer')
        .select('hash')
        .where('hash', '=', hash)
        .executeTakeFirst();
      return found !== undefined;
    },
    async prune(now, most) {
      const { numDeletedRows } = await rows(db)
        .deleteFrom('identity_used_answer')
        .where('hash', 'in', (expired) =>
          expired
            .selectFrom('identity_used_answer')
            .select('hash')
            .where('expires_at', '<=', now)
            .orderBy('expires_at')
            .limit(most),
        )
        .executeTakeFirstOrThrow();
      return Number(numDeletedRows);
    },
  } satisfies ExternalIdentityStore;
}
