// The store of codes and tokens in PostgreSQL.
import { columnsOf, compiledRead, nesting, rawSql, type Kysely, type SqlDatabase } from 'hexforge/plugin';
import type { IssuedStore } from 'hexforge/oauth';
import { CodeTable, db, FamilyTable, GrantTable, type OAuthRows } from '../tables.ts';
import { issuedWrites } from './writes.ts';

/** The grant of a code or token. */
const grantColumns = columnsOf(GrantTable, 'grant', { under: 'grant' });

const codeQuery = (rows: Kysely<OAuthRows>, { hash }: { readonly hash: string }) =>
  rows
    .selectFrom('oauth_server_code as code')
    .innerJoin('oauth_server_grant as grant', 'grant.id', 'code.grant_id')
    .select(grantColumns)
    .select(columnsOf(CodeTable, 'code', { under: 'code', except: ['hash', 'misses'] }))
    .where('code.hash', '=', hash);

/** The first read of a code exchange. */
const codeByHash = compiledRead(['hash'], codeQuery);
const codeOf = nesting<typeof codeQuery>();

const refreshTokenQuery = (rows: Kysely<OAuthRows>, { hash }: { readonly hash: string }) =>
  rows
    .selectFrom('oauth_server_refresh_token as token')
    .innerJoin('oauth_server_family as family', 'family.id', 'token.family_id')
    .innerJoin('oauth_server_grant as grant', 'grant.id', 'family.grant_id')
    .select(grantColumns)
    .select(columnsOf(FamilyTable, 'family', { under: 'family' }))
    .select(['token.used_at as usedAt', 'token.created_at as createdAt', 'token.expires_at as expiresAt'])
    .where('token.hash', '=', hash);

/** The first read of a refresh. */
const refreshTokenByHash = compiledRead(['hash'], refreshTokenQuery);
const refreshTokenOf = nesting<typeof refreshTokenQuery>();

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
        'client.owner_id as ownerId',
        'client.scopes as registered',
      ])
      .where('token.hash', '=', hash)
      .where('token.expires_at', '>', now)
      .where('family.ended_at', 'is', null)
      .where('client.suspended', '=', rawSql<boolean>`false`),
);

export function sqlIssuedStore(database: SqlDatabase): IssuedStore {
  return {
    ...issuedWrites.sql(database),
    async codeByHash(hash) {
      const [row] = await codeByHash(db(database), { hash });
      return row && codeOf(row);
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
    async refreshTokenByHash(hash) {
      const [row] = await refreshTokenByHash(db(database), { hash });
      return row && refreshTokenOf(row);
    },
    async takeRefreshToken(hash, now) {
      const taken = await db(database)
        .updateTable('oauth_server_refresh_token')
        .set({ used_at: now })
        .where('hash', '=', hash)
        .where('used_at', 'is', null)
        .where('expires_at', '>', now)
        .where(
          rawSql<boolean>`exists (select from oauth_server_family f where f.id = family_id and f.ended_at is null)`,
        )
        .returning('hash')
        .executeTakeFirst();
      return taken !== undefined;
    },
    async accessTokenByHash(hash, now) {
      const [row] = await accessTokenByHash(db(database), { hash, now });
      if (row === undefined) return undefined;
      const { registered, ...token } = row;
      return { ...token, scopes: token.scopes.filter((scope) => registered.includes(scope)) };
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
        .select('hash')
        .where('expires_at', '<=', now)
        .where(rawSql<boolean>`not exists (select from oauth_server_family f where f.id = family_id)`)
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
