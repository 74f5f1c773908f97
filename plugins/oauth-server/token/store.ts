// Codes and tokens in PostgreSQL.
import { compiledRead, rawSql, type Kysely, type Selectable, type SqlDatabase } from 'hexforge/plugin';
import type { AuthorizationCode, Family, Grant, IssuedStore } from 'hexforge/oauth';
import { AccessTokenTable, CodeTable, db, FamilyTable, RefreshTokenTable, type OAuthRows } from '../tables.ts';

const grantOf = (row: Selectable<OAuthRows['oauth_server_grant']>): Grant => ({
  id: row.id,
  userId: row.user_id,
  clientId: row.client_id,
  resource: row.resource,
  scopes: row.scopes,
  remembered: row.remembered,
  redirectOrigin: row.redirect_origin,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

const codeOf = (row: Selectable<OAuthRows['oauth_server_code']>): AuthorizationCode => ({
  grantId: row.grant_id,
  sessionId: row.session_id,
  redirectUri: row.redirect_uri,
  challenge: row.challenge,
  scopes: row.scopes,
  nonce: row.nonce,
  authTime: row.auth_time,
  createdAt: row.created_at,
  expiresAt: row.expires_at,
  takenAt: row.taken_at,
  familyId: row.family_id,
});

const familyOf = (row: Selectable<OAuthRows['oauth_server_family']>): Family => ({
  id: row.id,
  grantId: row.grant_id,
  scopes: row.scopes,
  authTime: row.auth_time,
  createdAt: row.created_at,
  expiresAt: row.expires_at,
  endedAt: row.ended_at,
});

/** What every request with such a token begins with. Scopes that the client has lost are lost at once. */
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
      const row = await db(database)
        .selectFrom('oauth_server_code')
        .selectAll()
        .where('hash', '=', hash)
        .executeTakeFirst();
      const grant = row && (await grantById(database, row.grant_id));
      return row && grant && { code: codeOf(row), grant };
    },
    async takeCode(hash, familyId, now) {
      // Of two that meet here the second waits for the first one's row lock, then finds the code taken.
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
      const found = await db(database)
        .selectFrom('oauth_server_refresh_token as token')
        .innerJoin('oauth_server_family as family', 'family.id', 'token.family_id')
        .selectAll('family')
        .select(['token.used_at as usedAt', 'token.created_at as tokenCreatedAt', 'token.expires_at as tokenExpiresAt'])
        .where('token.hash', '=', hash)
        .executeTakeFirst();
      const grant = found && (await grantById(database, found.grant_id));
      return (
        found &&
        grant && {
          family: familyOf(found),
          grant,
          usedAt: found.usedAt,
          createdAt: found.tokenCreatedAt,
          expiresAt: found.tokenExpiresAt,
        }
      );
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
    async prune(now) {
      const em = database.em();
      return (
        (await em.nativeDelete(AccessTokenTable, { expiresAt: { $lte: now } })) +
        (await em.nativeDelete(FamilyTable, { expiresAt: { $lte: now } })) +
        // A code that was taken is kept until its family goes, so that its second use is known for what it is.
        (await db(database)
          .deleteFrom('oauth_server_code')
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
          .executeTakeFirst()
          .then(({ numDeletedRows }) => Number(numDeletedRows)))
      );
    },
  } satisfies IssuedStore;
}

async function grantById(database: SqlDatabase, id: string): Promise<Grant | undefined> {
  const row = await db(database).selectFrom('oauth_server_grant').selectAll().where('id', '=', id).executeTakeFirst();
  return row && grantOf(row);
}
