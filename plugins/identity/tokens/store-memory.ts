// The store of personal access tokens in memory.
import type { AccessToken, TokenStore } from 'hexforge/identity';
import type { MemoryDatabase } from 'hexforge/plugin';
import { tokens, users } from '../tables-memory.ts';
import type { TokenRow } from '../tables-memory.ts';

const plain = ({ hash: _hash, ...token }: TokenRow): AccessToken => token;

export function memoryTokenStore(db: MemoryDatabase): TokenStore {
  const table = tokens(db);
  return {
    insert: async (token, hash) => table.insert({ ...token, hash }),
    async byHash(hash, now) {
      const token = table.findOne({ hash });
      const user = token && users(db).get(token.userId);
      if (token === undefined || user?.status !== 'active' || (token.expiresAt !== undefined && token.expiresAt <= now))
        return undefined;
      const { id, username, isAdmin, emailVerified, approval } = user;
      return {
        token: { id: token.id, scopes: token.scopes, lastUsedAt: token.lastUsedAt },
        owner: { id, username, isAdmin, emailVerified, approval },
      };
    },
    list: async (userId, slice) => ({
      tokens: table.find({ where: { userId }, orderBy: { desc: 'createdAt' }, ...slice }).map(plain),
      total: table.count({ userId }),
    }),
    known: async (ids) =>
      new Map(
        ids.flatMap((id): [string, string][] => {
          const token = table.get(id);
          return token === undefined ? [] : [[id, token.userId]];
        }),
      ),
    async delete(userId, id) {
      const token = table.findOne({ userId, id });
      table.deleteWhere({ userId, id });
      return token && plain(token);
    },
    deleteAll: async (userId) => table.deleteWhere({ userId }),
    count: async (userId) => table.count({ userId }),
    deleteExpired: async (userId, now) =>
      table.deleteWhere((row) => row.userId === userId && row.expiresAt !== undefined && row.expiresAt <= now),
    async touch(id, now) {
      table.update(id, { lastUsedAt: now });
    },
  } satisfies TokenStore;
}
