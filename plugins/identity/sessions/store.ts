// The store of sessions and their refresh tokens in PostgreSQL.
import type { SessionStore } from 'hexforge/identity';
import { columnsOf, compiledRead, countOf, rawSql, type Kysely, type SqlDatabase } from 'hexforge/plugin';
import { RefreshTokenTable, rows, SessionTable, type IdentityRows } from '../tables.ts';

/** Runs for every request with a session. */
const sessionOwner = compiledRead(
  ['id', 'now'],
  (db: Kysely<IdentityRows>, { id, now }: { readonly id: string; readonly now: Date }) =>
    db
      .selectFrom('identity_session as session')
      .innerJoin('identity_user as user', 'user.id', 'session.user_id')
      .select([
        'user.id',
        'user.username',
        'user.is_admin as isAdmin',
        'user.email_verified as emailVerified',
        'user.approval',
      ])
      .where('session.id', '=', id)
      .where('session.expires_at', '>', now)
      .where('user.status', '=', 'active'),
);

const sessionColumns = columnsOf(SessionTable, 'identity_session');

const deleted = async (deletion: { executeTakeFirst(): Promise<{ numDeletedRows: bigint }> }): Promise<number> =>
  Number((await deletion.executeTakeFirst()).numDeletedRows);

export function sqlSessionStore(db: SqlDatabase): SessionStore {
  const refreshTokens = () =>
    rows(db)
      .selectFrom('identity_refresh_token as refresh')
      .innerJoin('identity_session as session', 'session.id', 'refresh.session_id')
      .select(['session.id as sessionId', 'session.user_id as userId']);
  return {
    async insert(session) {
      await db.em().insert(SessionTable, session);
    },
    async owner(id, now) {
      const [row] = await sessionOwner(rows(db), { id, now });
      return row && { ...row, approval: row.approval ?? undefined };
    },
    async list(userId, { now, limit, offset }) {
      const living = rows(db)
        .selectFrom('identity_session')
        .where('user_id', '=', userId)
        .where('expires_at', '>', now);
      const sessions = await living
        .select(sessionColumns)
        .orderBy('expires_at', 'desc')
        .orderBy('id')
        .limit(limit)
        .offset(offset)
        .execute();
      return { sessions, total: await countOf(living) };
    },
    async startedAt(id, now) {
      const row = await rows(db)
        .selectFrom('identity_session')
        .select('created_at')
        .where('id', '=', id)
        .where('expires_at', '>', now)
        .executeTakeFirst();
      return row?.created_at;
    },
    async addRefreshToken(refresh) {
      await db.em().insert(RefreshTokenTable, { ...refresh, usedAt: null });
    },
    async useRefreshToken(hash, now) {
      // Of two concurrent uses, the second waits for the row lock of the first and then finds the token used.
      const taken = await rows(db)
        .updateTable('identity_refresh_token')
        .set({ used_at: now })
        .where('hash', '=', hash)
        .where('used_at', 'is', null)
        .returning('hash')
        .executeTakeFirst();
      const owner = await refreshTokens()
        .where('refresh.hash', '=', hash)
        .where('session.expires_at', '>', now)
        .executeTakeFirst();
      return owner && { ...owner, outcome: taken === undefined ? 'reused' : 'fresh' };
    },
    byRefreshToken: (hash) => refreshTokens().where('refresh.hash', '=', hash).executeTakeFirst(),
    async extend(id, expiresAt) {
      return (await db.em().nativeUpdate(SessionTable, { id }, { expiresAt })) > 0;
    },
    async end(id) {
      const row = await rows(db)
        .deleteFrom('identity_session')
        .where('id', '=', id)
        .returning('user_id')
        .executeTakeFirst();
      return row?.user_id;
    },
    async endAll(userId, except) {
      return db.em().nativeDelete(SessionTable, { userId, ...(except !== undefined && { id: { $ne: except } }) });
    },
    async endOldest(userId, most) {
      const oldest = rows(db)
        .selectFrom('identity_session')
        .select('id')
        .where('user_id', '=', userId)
        .orderBy('expires_at', 'desc')
        .orderBy('id')
        .offset(most - 1)
        .limit(1000);
      return deleted(rows(db).deleteFrom('identity_session').where('id', 'in', oldest));
    },
    async pruneRefreshTokens(before, most) {
      const old = rows(db)
        .selectFrom('identity_refresh_token')
        .select('hash')
        .where('created_at', '<=', before)
        .where(
          rawSql<boolean>`(used_at is not null or not exists (select from identity_session s where s.id = session_id))`,
        )
        .limit(most);
      return deleted(rows(db).deleteFrom('identity_refresh_token').where('hash', 'in', old));
    },
    async prune(now, most) {
      const expired = rows(db).selectFrom('identity_session').select('id').where('expires_at', '<=', now).limit(most);
      return deleted(rows(db).deleteFrom('identity_session').where('id', 'in', expired));
    },
  } satisfies SessionStore;
}
