// Accounts, sessions and tokens in PostgreSQL.
import { emailKey, usernameKey } from 'hexforge/identity';
import type { AccessToken, Account, AccountStore, SecuredAccount, SessionStore, TokenStore } from 'hexforge/identity';
import { compiledRead, rawSql } from 'hexforge/plugin';
import type { Kysely, Selectable, SqlDatabase } from 'hexforge/plugin';
import { RefreshTokenTable, SessionTable, TokenTable, UserTable } from './tables.ts';
import type { IdentityRows } from './tables.ts';

const rows = (db: SqlDatabase): Kysely<IdentityRows> => db.kysely<IdentityRows>();

const accountColumns = [
  'id',
  'username',
  'email',
  'display_name',
  'bio',
  'avatar_url',
  'is_admin',
  'status',
  'approval',
  'email_verified',
  'created_at',
  'last_active_at',
] as const;
type AccountRow = Pick<Selectable<IdentityRows['identity_user']>, (typeof accountColumns)[number]>;

const account = (row: AccountRow): Account => ({
  id: row.id,
  username: row.username,
  email: row.email,
  displayName: row.display_name,
  bio: row.bio,
  avatarUrl: row.avatar_url,
  isAdmin: row.is_admin,
  status: row.status,
  approval: row.approval ?? undefined,
  emailVerified: row.email_verified,
  createdAt: row.created_at,
  lastActiveAt: row.last_active_at ?? undefined,
});
const secured = (row: AccountRow & { readonly password_hash: string }): SecuredAccount => ({
  account: account(row),
  passwordHash: row.password_hash,
});

export function sqlAccountStore(db: SqlDatabase): AccountStore {
  const users = () => rows(db).selectFrom('identity_user');
  return {
    async insert({ approval, lastActiveAt, ...made }, passwordHash) {
      await db.em().insert(UserTable, {
        ...made,
        usernameKey: usernameKey(made.username),
        emailKey: emailKey(made.email),
        displayNameKey: made.displayName.toLowerCase(),
        approval: approval ?? null,
        lastActiveAt: lastActiveAt ?? null,
        passwordHash,
      });
    },
    async any() {
      return (await users().select('id').limit(1).executeTakeFirst()) !== undefined;
    },
    async byId(id) {
      const row = await users().select(accountColumns).where('id', '=', id).executeTakeFirst();
      return row && account(row);
    },
    async byIds(ids) {
      return (
        await users()
          .select(accountColumns)
          .where('id', 'in', [...ids])
          .execute()
      ).map(account);
    },
    async byUsername(username) {
      const row = await users()
        .select(accountColumns)
        .where('username_key', '=', usernameKey(username))
        .executeTakeFirst();
      return row && account(row);
    },
    async byEmail(email) {
      const row = await users().select(accountColumns).where('email_key', '=', emailKey(email)).executeTakeFirst();
      return row && account(row);
    },
    async secured(username) {
      const row = await users()
        .select(accountColumns)
        .select('password_hash')
        .where('username_key', '=', usernameKey(username))
        .executeTakeFirst();
      return row && secured(row);
    },
    async list({ q, limit, offset }) {
      const needle = q?.toLowerCase();
      const matching = users().$if(needle !== undefined, (query) =>
        query.where((is) =>
          is.or([
            is(rawSql<number>`strpos(username_key, ${needle})`, '>', 0),
            is(rawSql<number>`strpos(email_key, ${needle})`, '>', 0),
            is(rawSql<number>`strpos(display_name_key, ${needle})`, '>', 0),
          ]),
        ),
      );
      const found = await matching.select(accountColumns).orderBy('username_key').limit(limit).offset(offset).execute();
      const { total } = await matching.select((is) => is.fn.countAll<number>().as('total')).executeTakeFirstOrThrow();
      return { accounts: found.map(account), total };
    },
    async lock(id) {
      // `no key`: rows that refer to the account may be written meanwhile.
      const row = await users()
        .select(accountColumns)
        .select('password_hash')
        .where('id', '=', id)
        .forNoKeyUpdate()
        .executeTakeFirst();
      return row && secured(row);
    },
    async lockAdministrators() {
      const held = await users()
        .select('id')
        .where('is_admin', '=', true)
        .where('status', '=', 'active')
        .orderBy('id')
        .forNoKeyUpdate()
        .execute();
      return held.map(({ id }) => id);
    },
    async update(id, { email, displayName, ...patch }) {
      await db.em().nativeUpdate(
        UserTable,
        { id },
        {
          ...patch,
          ...(email !== undefined && { email, emailKey: emailKey(email) }),
          ...(displayName !== undefined && { displayName, displayNameKey: displayName.toLowerCase() }),
        },
      );
    },
    async delete(id) {
      await db.em().nativeDelete(UserTable, { id });
    },
  } satisfies AccountStore;
}

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
      const row = await rows(db)
        .selectFrom('identity_session as session')
        .innerJoin('identity_user as user', 'user.id', 'session.user_id')
        .select(['user.id', 'user.username', 'user.is_admin as isAdmin'])
        .where('session.id', '=', id)
        .where('session.expires_at', '>', now)
        .where('user.status', '=', 'active')
        .executeTakeFirst();
      return row;
    },
    async addRefreshToken(refresh) {
      await db.em().insert(RefreshTokenTable, { ...refresh, usedAt: null });
    },
    async useRefreshToken(hash, now) {
      // Of two that meet here the second waits for the first one's row lock, then finds the token used.
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
      await db.em().nativeUpdate(SessionTable, { id }, { expiresAt });
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
    async prune(now) {
      return db.em().nativeDelete(SessionTable, { expiresAt: { $lte: now } });
    },
  } satisfies SessionStore;
}

const tokenColumns = ['id', 'user_id', 'name', 'scopes', 'created_at', 'expires_at', 'last_used_at'] as const;
type TokenRow = Pick<Selectable<IdentityRows['identity_token']>, (typeof tokenColumns)[number]>;

const token = (row: TokenRow): AccessToken => ({
  id: row.id,
  userId: row.user_id,
  name: row.name,
  scopes: row.scopes,
  createdAt: row.created_at,
  expiresAt: row.expires_at ?? undefined,
  lastUsedAt: row.last_used_at ?? undefined,
});

/** What every request with a token begins with. */
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
        'user.is_admin',
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
      return (
        row && {
          token: { id: row.tokenId, scopes: row.scopes, lastUsedAt: row.last_used_at ?? undefined },
          owner: { id: row.id, username: row.username, isAdmin: row.is_admin },
        }
      );
    },
    async list(userId, { limit, offset }) {
      const found = await tokensOf(userId)
        .select(tokenColumns)
        .orderBy('created_at', 'desc')
        .orderBy('id')
        .limit(limit)
        .offset(offset)
        .execute();
      const { total } = await tokensOf(userId)
        .select((is) => is.fn.countAll<number>().as('total'))
        .executeTakeFirstOrThrow();
      return { tokens: found.map(token), total };
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
    async touch(id, now) {
      await db.em().nativeUpdate(TokenTable, { id }, { lastUsedAt: now });
    },
  } satisfies TokenStore;
}
