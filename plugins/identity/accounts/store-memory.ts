// Accounts in memory.
import { emailKey, usernameKey } from 'hexforge/identity';
import type { AccountStore, PublicUserRow, SecuredAccount } from 'hexforge/identity';
import type { MemoryDatabase } from 'hexforge/plugin';
import { compare, deleteTokens, endSessions, users } from '../tables-memory.ts';
import type { UserRow } from '../tables-memory.ts';

const secured = ({ passwordHash, ...account }: UserRow): SecuredAccount => ({ account, passwordHash });

export function memoryAccountStore(db: MemoryDatabase): AccountStore {
  const table = users(db);
  const find = (is: (row: UserRow) => boolean): SecuredAccount | undefined => {
    const row = table.all().find(is);
    return row && secured(row);
  };
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
    insert: async (account, passwordHash) => table.insert({ ...account, passwordHash }),
    any: async () => table.all().length > 0,
    byId: async (id) => find((row) => row.id === id)?.account,
    byIds: async (ids) =>
      table
        .all()
        .filter(({ id }) => ids.includes(id))
        .map((row) => secured(row).account),
    byUsername: async (username) => find((row) => usernameKey(row.username) === usernameKey(username))?.account,
    byEmail: async (email) => find((row) => emailKey(row.email) === emailKey(email))?.account,
    secured: async (username) => find((row) => usernameKey(row.username) === usernameKey(username)),
    async list({ q, limit, offset }) {
      const needle = q?.toLowerCase();
      const matching = table
        .all()
        .filter(
          ({ username, email, displayName }) =>
            needle === undefined || [username, email, displayName].some((text) => text.toLowerCase().includes(needle)),
        )
        .sort((a, b) => compare(usernameKey(a.username), usernameKey(b.username)));
      return {
        accounts: matching.slice(offset, offset + limit).map((row) => secured(row).account),
        total: matching.length,
      };
    },
    lock: async (id) => find((row) => row.id === id),
    lockAdministrators: async () =>
      table
        .all()
        .filter(({ isAdmin, status }) => isAdmin && status === 'active')
        .map(({ id }) => id)
        .sort(compare),
    update: async (id, patch) => table.update(id, patch),
    async delete(id) {
      endSessions(db, ({ userId }) => userId === id);
      deleteTokens(db, id);
      table.delete(id);
    },
  } satisfies AccountStore;
}
