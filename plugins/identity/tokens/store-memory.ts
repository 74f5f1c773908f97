// Personal access tokens in memory.
import type { AccessToken, TokenStore } from 'hexforge/identity';
import type { MemoryDatabase } from 'hexforge/plugin';
import { compare, deleteTokens, tokens, users } from '../tables-memory.ts';
import type { TokenRow } from '../tables-memory.ts';

export function memoryTokenStore(db: MemoryDatabase): TokenStore {
  const table = tokens(db);
  const plain = ({ hash: _hash, ...token }: TokenRow): AccessToken => token;
  return {
    insert: async (token, hash) => table.insert({ ...token, hash }),
    async byHash(hash, now) {
      const token = table.all().find((row) => row.hash === hash);
      const user = token && users(db).get(token.userId);
      if (token === undefined || user?.status !== 'active' || (token.expiresAt !== undefined && token.expiresAt <= now))
        return undefined;
      return {
        token: { id: token.id, scopes: token.scopes, lastUsedAt: token.lastUsedAt },
        owner: { id: user.id, username: user.username, isAdmin: user.isAdmin },
      };
    },
    async list(userId, { limit, offset }) {
      const owned = table
        .all()
        .filter((token) => token.userId === userId)
        .sort((a, b) => b.createdAt.getTime() - a.createdAt.getTime() || compare(a.id, b.id));
      return { tokens: owned.slice(offset, offset + limit).map(plain), total: owned.length };
    },
    async delete(userId, id) {
      const token = table.get(id);
      if (token?.userId !== userId) return undefined;
      table.delete(id);
      return plain(token);
    },
    deleteAll: async (userId) => deleteTokens(db, userId),
    touch: async (id, now) => {
      if (table.get(id) !== undefined) table.update(id, { lastUsedAt: now });
    },
  } satisfies TokenStore;
}
