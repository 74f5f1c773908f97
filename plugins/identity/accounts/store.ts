// The store of accounts in PostgreSQL.
import { emailKey, usernameKey } from 'hexforge/identity';
import type { Account, AccountStore, SecuredAccount } from 'hexforge/identity';
import { columnsOf, compiledRead, countOf, rawSql, type Kysely, type SqlDatabase } from 'hexforge/plugin';
import { rows, UserTable, type IdentityRows } from '../tables.ts';

const accountColumns = columnsOf(UserTable, 'identity_user', {
  except: ['usernameKey', 'emailKey', 'displayNameKey', 'passwordHash', 'isFirst'],
});
type AccountRow = Omit<Account, 'approval' | 'lastActiveAt'> & {
  readonly approval: Account['approval'] | null;
  readonly lastActiveAt: Date | null;
};

const account = ({ approval, lastActiveAt, ...row }: AccountRow): Account => ({
  ...row,
  approval: approval ?? undefined,
  lastActiveAt: lastActiveAt ?? undefined,
});
const secured = ({ passwordHash, ...row }: AccountRow & { readonly passwordHash: string }): SecuredAccount => ({
  account: account(row),
  passwordHash,
});

const accountById = compiledRead(['id'], (db: Kysely<IdentityRows>, { id }: { readonly id: string }) =>
  db.selectFrom('identity_user').select(accountColumns).where('id', '=', id),
);

export function sqlAccountStore(db: SqlDatabase): AccountStore {
  const users = () => rows(db).selectFrom('identity_user');
  return {
    async insert({ approval, lastActiveAt, ...made }, passwordHash, isFirst) {
      await db.em().insert(UserTable, {
        ...made,
        usernameKey: usernameKey(made.username),
        emailKey: emailKey(made.email),
        displayNameKey: made.displayName.toLowerCase(),
        approval: approval ?? null,
        lastActiveAt: lastActiveAt ?? null,
        passwordHash,
        isFirst: isFirst !== undefined,
      });
    },
    async isFirst(id) {
      const row = await users().select('is_first as isFirst').where('id', '=', id).executeTakeFirst();
      return row?.isFirst === true;
    },
    async any() {
      return (await users().select('id').limit(1).executeTakeFirst()) !== undefined;
    },
    async byId(id) {
      const [row] = await accountById(rows(db), { id });
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
    async byUsernames(usernames) {
      if (usernames.length === 0) return [];
      const rows = await users()
        .select(accountColumns)
        .where('username_key', 'in', usernames.map(usernameKey))
        .execute();
      return rows.map(account);
    },
    async byEmail(email) {
      const row = await users().select(accountColumns).where('email_key', '=', emailKey(email)).executeTakeFirst();
      return row && account(row);
    },
    async secured(username) {
      const row = await users()
        .select(accountColumns)
        .select('password_hash as passwordHash')
        .where('username_key', '=', usernameKey(username))
        .executeTakeFirst();
      return row && secured(row);
    },
    async list({ q, status, isAdmin, limit, offset }) {
      const needle = q?.toLowerCase();
      const matching = users()
        .$if(status !== undefined, (query) => query.where('status', '=', status ?? 'active'))
        .$if(isAdmin !== undefined, (query) => query.where('is_admin', '=', isAdmin ?? false))
        .$if(needle !== undefined, (query) =>
          query.where((is) =>
            is.or([
              is(rawSql<number>`strpos(username_key, ${needle})`, '>', 0),
              is(rawSql<number>`strpos(email_key, ${needle})`, '>', 0),
              is(rawSql<number>`strpos(display_name_key, ${needle})`, '>', 0),
            ]),
          ),
        );
      const found = await matching.select(accountColumns).orderBy('username_key').limit(limit).offset(offset).execute();
      return { accounts: found.map(account), total: await countOf(matching) };
    },
    async lock(id) {
      // `for no key update` lets concurrent transactions write rows that refer to the account.
      const row = await users()
        .select(accountColumns)
        .select('password_hash as passwordHash')
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
