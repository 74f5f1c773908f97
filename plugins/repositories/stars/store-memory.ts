// The store of stars and watches in memory.
import type { MemoryDatabase } from 'hexforge/plugin';
import type { MarkStore } from 'hexforge/repositories';
import { markTable } from '../tables-memory.ts';

export function memoryMarkStore(database: MemoryDatabase): MarkStore {
  const tables = { star: markTable(database, 'star'), watch: markTable(database, 'watch') };
  return {
    async set(mark, repositoryId, userId, at) {
      if (tables[mark].get([repositoryId, userId]) !== undefined) return false;
      tables[mark].insert({ repositoryId, userId, createdAt: at });
      return true;
    },
    has: async (mark, repositoryId, userId) => tables[mark].get([repositoryId, userId]) !== undefined,
    remove: async (mark, repositoryId, userId) => tables[mark].delete([repositoryId, userId]),
  } satisfies MarkStore;
}
