// Stars and watches in memory.
import type { MemoryDatabase, MemoryTable } from 'hexforge/plugin';
import type { Mark, MarkStore } from 'hexforge/repositories';
import { markTables } from '../tables.ts';

interface Row {
  readonly repositoryId: string;
  readonly userId: string;
  readonly createdAt: Date;
}

const keyOf = ({ repositoryId, userId }: Pick<Row, 'repositoryId' | 'userId'>): string => `${repositoryId}/${userId}`;

export const markTable = (database: MemoryDatabase, mark: Mark): MemoryTable<Row> =>
  database.table<Row>(markTables[mark], { key: keyOf });

export function memoryMarkStore(database: MemoryDatabase): MarkStore {
  const tables = { star: markTable(database, 'star'), watch: markTable(database, 'watch') };
  return {
    async set(mark, repositoryId, userId, at) {
      if (tables[mark].get(keyOf({ repositoryId, userId })) !== undefined) return false;
      tables[mark].insert({ repositoryId, userId, createdAt: at });
      return true;
    },
    has: async (mark, repositoryId, userId) => tables[mark].get(keyOf({ repositoryId, userId })) !== undefined,
    remove: async (mark, repositoryId, userId) => tables[mark].delete(keyOf({ repositoryId, userId })),
  } satisfies MarkStore;
}
