// The store of external identities in memory.
import type { ExternalIdentity, ExternalIdentityStore } from 'hexforge/identity';
import type { MemoryDatabase } from 'hexforge/plugin';
import { externals, usedAnswers, type ExternalRow } from '../tables-memory.ts';

const identity = ({ key: _key, ...rest }: ExternalRow): ExternalIdentity => rest;

export function memoryExternalIdentityStore(db: MemoryDatabase): ExternalIdentityStore {
  const table = externals(db);
  const used = usedAnswers(db);
  return {
    insert: async (added, key) => table.insert({ ...added, key }),
    async byKey(key) {
      const row = table.findOne((one) => one.key === key);
      return row && identity(row);
    },
    ofUser: async (userId) =>
      table
        .find({ where: { userId }, orderBy: ({ createdAt, id }) => `${createdAt.toISOString()} ${id}` })
        .map(identity),
    async delete(userId, id) {
      const row = table.get(id);
      if (row?.userId !== userId) return undefined;
      table.delete(id);
      return identity(row);
    },
    use: async (hash, expiresAt) => used.insert({ hash, expiresAt }),
    isUsed: async (hash) => used.get(hash) !== undefined,
    async prune(now, most) {
      const expired = used.find({ where: ({ expiresAt }) => expiresAt <= now, orderBy: 'expiresAt', limit: most });
      for (const { hash } of expired) used.delete(hash);
      return expired.length;
    },
  } satisfies ExternalIdentityStore;
}
