// The store of personal access tokens in PostgreSQL.
import type { AccessToken, TokenStore } from 'hexforge/identity';
import { columnsOf, compiledRead, countOf, rawSql, type Kysely, type SqlDatabase } from 'hexforge/plugin';
import { rows, TokenTable, type IdentityRows } from '../tables.ts';

const tokenColumns = columnsOf(TokenTable, 'identity_token', { except: ['hash'] });
type TokenRow = Omit<AccessToken, 'expiresAt' | 'lastUsedAt'> & Record<'expiresAt' | 'lastUsedAt', Date | null>;

const token = ({ expiresAt, lastUsedAt, ...row }: TokenRow): AccessToken => ({
  ...row,
  expiresAt: expiresAt ?? undefined,
  lastUsedAt: lastUsedAt ?? undefined,
});

/** Runs for every request with a token. */
const tokenByHash = compiledRead(
  ['hash', 'now'],
  (db: Kysely<IdentityRows>, { hash, now }: { readonly hash: string; readonly now: Date }) =>
    db
      .selectFrom('identity_token as token')
      .innerJoin('identity_user as user', 'user.id', 'token.user_id')
      .select([
        'token.id as tokenId',
        'token.scopes',
        'token.last_used_at',
        'user.id',
        'user.username',
        'user.is_admin as isAdmin',
        'user.email_verified as emailVerified',
        'user.approval',
      ])
      .where('token.hash', '=', hash)
      .where('user.status', '=', 'active')
      .where((is) => is.or([is('token.expires_at', 'is', null), is('token.expires_at', '>', now)])),
);

export function sqlTokenStore(db: SqlDatabase): TokenStore {
  const tokensOf = (userId: string) => rows(db).selectFrom('identity_token').where('user_id', '=', userId);
  return {
    async insert({ expiresAt, lastUsedAt, ...made }, hash) {
      await db.em().insert(TokenTable, { ...made, hash, expiresAt: expiresAt ?? null, lastUsedAt: lastUsedAt ?? null });
    },
    async byHash(hash, now) {
      const [row] = await tokenByHash(rows(db), { hash, now });
      if (row === undefined) return undefined;
      const { tokenId, scopes, last_used_at: lastUsedAt, approval, ...owner } = row;
      return {
        token: { id: tokenId, scopes, lastUsedAt: lastUsedAt ?? undefined },
        owner: { ...owner, approval: approval ?? undefined },
      };
    },
    async list(userId, { limit, offset }) {
      const found = await tokensOf(userId)
        .select(tokenColumns)
        .orderBy('created_at', 'desc')
        .orderBy('id')
        .limit(limit)
        .offset(offset)
        .execute();
      return { tokens: found.map(token), total: await countOf(tokensOf(userId)) };
    },
    async known(ids) {
      const found = await rows(db)
        .selectFrom('identity_token')
        .select(['id', 'user_id'])
        .where('id', '=', rawSql<string>`any(${ids}::uuid[])`)
        .execute();
      return new Map(found.map(({ id, user_id: userId }) => [id, userId]));
    },
    async delete(userId, id) {
      const row = await rows(db)
        .deleteFrom('identity_token')
        .where('id', '=', id)
        .where('user_id', '=', userId)
        .returning(tokenColumns)
        .executeTakeFirst();
      return row && token(row);
    },
    async deleteAll(userId) {
      return db.em().nativeDelete(TokenTable, { userId });
    },
    count: (userId) => countOf(tokensOf(userId)),
    async deleteExpired(userId, now) {
      return db.em().nativeDelete(TokenTable, { userId, expiresAt: { $lte: now } });
    },
    async touch(id, now) {
      await db.em().nativeUpdate(TokenTable, { id }, { lastUsedAt: now });
    },
  } satisfies TokenStore;
}
