// The store of accounts in memory.
import { emailKey, usernameKey } from 'hexforge/identity';
import type { Account, AccountStore, PublicUserRow, SecuredAccount } from 'hexforge/identity';
import type { MemoryDatabase } from 'hexforge/plugin';
import { users } from '../tables-memory.ts';
import type { UserRow } from '../tables-memory.ts';

const account = ({ passwordHash: _hash, isFirst: _isFirst, ...rest }: UserRow): Account => rest;
const secured = (row: UserRow | undefined): SecuredAccount | undefined =>
  row && { account: account(row), passwordHash: row.passwordHash };

export function memoryAccountStore(db: MemoryDatabase): AccountStore {
  const table = users(db);
  const byUsername = (username: string) =>
    secured(table.findOne((row) => usernameKey(row.username) === usernameKey(username)));
  db.publish<PublicUserRow>('identity_public_user', () =>
    table.all().map(({ id, username, displayName, avatarUrl }) => ({
      id,
      username,
      username_key: usernameKey(username),
      display_name: displayName,
      avatar_url: avatarUrl,
    })),
  );
  return {
    insert: async (added, passwordHash, isFirst) =>
      table.insert({ ...added, passwordHash, isFirst: isFirst !== undefined }),
    isFirst: async (id) => table.get(id)?.isFirst ?? false,
    any: async () => table.count() > 0,
    byId: async (id) => secured(table.get(id))?.account,
    byIds: async (ids) => table.find({ where: ({ id }) => ids.includes(id) }).map(account),
    byUsername: async (username) => byUsername(username)?.account,
    byUsernames: async (usernames) => {
      const keys = new Set(usernames.map(usernameKey));
      return table.find({ where: ({ username }) => keys.has(usernameKey(username)) }).map(account);
    },
    byEmail: async (email) => secured(table.findOne((row) => emailKey(row.email) === emailKey(email)))?.account,
    secured: async (username) => byUsername(username),
    async list({ q = '', status, isAdmin, ...slice }) {
      const where = ({ username, email, displayName, ...account }: UserRow): boolean =>
        (status === undefined || account.status === status) &&
        (isAdmin === undefined || account.isAdmin === isAdmin) &&
        [username, email, displayName].some((text) => text.toLowerCase().includes(q.toLowerCase()));
      const found = table.find({ where, orderBy: ({ username }) => usernameKey(username), ...slice });
      return { accounts: found.map(account), total: table.count(where) };
    },
    lock: async (id) => secured(table.get(id)),
    lockAdministrators: async () =>
      table.find({ where: { isAdmin: true, status: 'active' }, orderBy: 'id' }).map(({ id }) => id),
    async update(id, patch) {
      table.update(id, patch);
    },
    async delete(id) {
      table.delete(id);
    },
  } satisfies AccountStore;
}
