// The store of codes and tokens in PostgreSQL.
import { compiledRead, rawSql, type Kysely, type Selectable, type SqlDatabase } from 'hexforge/plugin';
import type { Grant, IssuedStore } from 'hexforge/oauth';
import { AccessTokenTable, CodeTable, db, FamilyTable, RefreshTokenTable, type OAuthRows } from '../tables.ts';

/** The columns of a grant, selected in addition to those of a code or token. */
const grantColumns = [
  'grant.id as grant_id',
  'grant.user_id',
  'grant.client_id',
  'grant.resource',
  'grant.scopes as grant_scopes',
  'grant.remembered',
  'grant.redirect_origin',
  'grant.created_at as grant_created_at',
  'grant.updated_at as grant_updated_at',
] as const;

type GrantRow = Selectable<OAuthRows['oauth_server_grant']>;
const grantOf = (
  row: Pick<GrantRow, 'user_id' | 'client_id' | 'resource' | 'remembered' | 'redirect_origin'> & {
    readonly grant_id: GrantRow['id'];
    readonly grant_scopes: GrantRow['scopes'];
    readonly grant_created_at: GrantRow['created_at'];
    readonly grant_updated_at: GrantRow['updated_at'];
  },
): Grant => ({
  id: row.grant_id,
  userId: row.user_id,
  clientId: row.client_id,
  resource: row.resource,
  scopes: row.grant_scopes,
  remembered: row.remembered,
  redirectOrigin: row.redirect_origin,
  createdAt: row.grant_created_at,
  updatedAt: row.grant_updated_at,
});

/** The first read of a code exchange. */
const codeByHash = compiledRead(['hash'], (rows: Kysely<OAuthRows>, { hash }: { readonly hash: string }) =>
  rows
    .selectFrom('oauth_server_code as code')
    .innerJoin('oauth_server_grant as grant', 'grant.id', 'code.grant_id')
    .select(grantColumns)
    .select([
      'code.session_id as sessionId',
      'code.redirect_uri as redirectUri',
      'code.challenge',
      'code.scopes',
      'code.nonce',
      'code.auth_time as authTime',
      'code.created_at as createdAt',
      'code.expires_at as expiresAt',
      'code.taken_at as takenAt',
      'code.family_id as familyId',
    ])
    .where('code.hash', '=', hash),
);

/** The first read of a refresh. */
const refreshTokenByHash = compiledRead(['hash'], (rows: Kysely<OAuthRows>, { hash }: { readonly hash: string }) =>
  rows
    .selectFrom('oauth_server_refresh_token as token')
    .innerJoin('oauth_server_family as family', 'family.id', 'token.family_id')
    .innerJoin('oauth_server_grant as grant', 'grant.id', 'family.grant_id')
    .select(grantColumns)
    .select([
      'family.id as familyId',
      'family.scopes',
      'family.auth_time as authTime',
      'family.created_at as begunAt',
      'family.expires_at as endsAt',
      'family.ended_at as endedAt',
      'token.used_at as usedAt',
      'token.created_at as createdAt',
      'token.expires_at as expiresAt',
    ])
    .where('token.hash', '=', hash),
);

/** Runs for every request with an access token. Scopes that the client has lost are removed at once. */
const accessTokenByHash = compiledRead(
  ['hash', 'now'],
  (rows: Kysely<OAuthRows>, { hash, now }: { readonly hash: string; readonly now: Date }) =>
    rows
      .selectFrom('oauth_server_access_token as token')
      .innerJoin('oauth_server_family as family', 'family.id', 'token.family_id')
      .innerJoin('oauth_server_grant as grant', 'grant.id', 'family.grant_id')
      .innerJoin('oauth_server_client as client', 'client.id', 'grant.client_id')
      .select([
        'token.id',
        'token.scopes',
        'token.created_at as createdAt',
        'token.expires_at as expiresAt',
        'family.id as familyId',
        'grant.user_id as userId',
        'grant.resource',
        'client.id as client',
        'client.client_id as clientId',
        'client.scopes as registered',
      ])
      .where('token.hash', '=', hash)
      .where('token.expires_at', '>', now)
      .where('family.ended_at', 'is', null)
      .where('client.suspended', '=', rawSql<boolean>`false`),
);

export function sqlIssuedStore(database: SqlDatabase): IssuedStore {
  return {
    async insertCode(code, hash) {
      await database.em().insert(CodeTable, { ...code, hash, misses: 0 });
    },
    async codeByHash(hash) {
      const [row] = await codeByHash(db(database), { hash });
      if (row === undefined) return undefined;
      const { sessionId, redirectUri, challenge, scopes, nonce, authTime, createdAt, expiresAt, takenAt, familyId } =
        row;
      const grant = grantOf(row);
      const bound = { grantId: grant.id, sessionId, redirectUri, challenge, scopes, nonce, authTime };
      return { code: { ...bound, createdAt, expiresAt, takenAt, familyId }, grant };
    },
    async takeCode(hash, familyId, now) {
      // Of two concurrent exchanges, the second waits for the row lock of the first and then finds the code used.
      const taken = await db(database)
        .updateTable('oauth_server_code')
        .set({ taken_at: now, family_id: familyId })
        .where('hash', '=', hash)
        .where('taken_at', 'is', null)
        .where('expires_at', '>', now)
        .returning('hash')
        .executeTakeFirst();
      return taken !== undefined;
    },
    async missCode(hash, most, now) {
      await db(database)
        .updateTable('oauth_server_code')
        .set({
          misses: rawSql<number>`misses + 1`,
          taken_at: rawSql<Date | null>`case when misses + 1 >= ${most} then ${now}::timestamptz end`,
        })
        .where('hash', '=', hash)
        .where('taken_at', 'is', null)
        .execute();
    },
    async insertFamily(family) {
      await database.em().insert(FamilyTable, family);
    },
    async roomForFamily({ userId, clientId }, most) {
      const latest = rawSql`family.ended_at desc nulls first, family.created_at desc, family.id`;
      const ranked = db(database)
        .selectFrom('oauth_server_family as family')
        .innerJoin('oauth_server_grant as grant', 'grant.id', 'family.grant_id')
        .select([
          'family.id',
          'grant.client_id',
          rawSql<number>`row_number() over (order by ${latest})`.as('of_user'),
          rawSql<number>`row_number() over (partition by "grant".client_id order by ${latest})`.as('of_client'),
        ])
        .where('grant.user_id', '=', userId);
      const past = db(database)
        .selectFrom(ranked.as('ranked'))
        .select('ranked.id')
        .where((is) =>
          is.or([
            is('of_user', '>=', most.ofUser),
            is.and([is('ranked.client_id', '=', clientId), is('of_client', '>=', most.ofClient)]),
          ]),
        )
        .limit(1000);
      await db(database).deleteFrom('oauth_server_family').where('id', 'in', past).execute();
    },
    async endFamily(id, now) {
      await db(database)
        .updateTable('oauth_server_family')
        .set({ ended_at: now })
        .where('id', '=', id)
        .where('ended_at', 'is', null)
        .execute();
      await database.em().nativeDelete(AccessTokenTable, { familyId: id });
    },
    async insertRefreshToken(token) {
      await database.em().insert(RefreshTokenTable, { ...token, usedAt: null });
    },
    async refreshTokenByHash(hash) {
      const [row] = await refreshTokenByHash(db(database), { hash });
      if (row === undefined) return undefined;
      const { familyId: id, scopes, authTime, begunAt, endsAt, endedAt, usedAt, createdAt, expiresAt } = row;
      const grant = grantOf(row);
      const family = { id, grantId: grant.id, scopes, authTime, createdAt: begunAt, expiresAt: endsAt, endedAt };
      return { family, grant, usedAt, createdAt, expiresAt };
    },
    async takeRefreshToken(hash, now) {
      const taken = await db(database)
        .updateTable('oauth_server_refresh_token')
        .set({ used_at: now })
        .where('hash', '=', hash)
        .where('used_at', 'is', null)
        .where('expires_at', '>', now)
        .where(({ exists, selectFrom }) =>
          exists(
            selectFrom('oauth_server_family')
              .select('oauth_server_family.id')
              .whereRef('oauth_server_family.id', '=', 'oauth_server_refresh_token.family_id')
              .where('oauth_server_family.ended_at', 'is', null),
          ),
        )
        .returning('hash')
        .executeTakeFirst();
      return taken !== undefined;
    },
    async insertAccessToken(token) {
      await database.em().insert(AccessTokenTable, token);
    },
    async accessTokenByHash(hash, now) {
      const [row] = await accessTokenByHash(db(database), { hash, now });
      if (row === undefined) return undefined;
      const { registered, ...token } = row;
      return { ...token, scopes: token.scopes.filter((scope) => registered.includes(scope)) };
    },
    async deleteAccessToken(hash) {
      await database.em().nativeDelete(AccessTokenTable, { hash });
    },
    async prune(now, most) {
      const rows = db(database);
      const access = rows
        .selectFrom('oauth_server_access_token')
        .select('hash')
        .where('expires_at', '<=', now)
        .limit(most);
      const refresh = rows
        .selectFrom('oauth_server_refresh_token')
        .select('hash')
        .where('expires_at', '<=', now)
        .limit(most);
      const family = rows.selectFrom('oauth_server_family').select('id').where('expires_at', '<=', now).limit(most);
      // A used code is kept as long as its family, so that a second use can be detected.
      const code = rows
        .selectFrom('oauth_server_code')
        .select('oauth_server_code.hash')
        .where('expires_at', '<=', now)
        .where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom('oauth_server_family')
                .select('oauth_server_family.id')
                .whereRef('oauth_server_family.id', '=', 'oauth_server_code.family_id'),
            ),
          ),
        )
        .limit(most);
      let removed = 0n;
      for (const deletion of [
        rows.deleteFrom('oauth_server_access_token').where('hash', 'in', access),
        rows.deleteFrom('oauth_server_refresh_token').where('hash', 'in', refresh),
        rows.deleteFrom('oauth_server_family').where('id', 'in', family),
        rows.deleteFrom('oauth_server_code').where('hash', 'in', code),
      ])
        removed += (await deletion.executeTakeFirst()).numDeletedRows;
      return Number(removed);
    },
  } satisfies IssuedStore;
}
