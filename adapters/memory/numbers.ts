// Consecutive numbers per repository in memory.
import type { Numbers } from '#core/kernel/storage/numbers';
import type { MemoryDatabase } from './database.ts';

export function memoryNumbers(database: MemoryDatabase, table: string): Numbers {
  const last = database.table<{ readonly repositoryId: string; readonly last: number }>(table, {
    key: 'repositoryId',
    references: { repositoryId: { table: 'repositories_repository', onDelete: 'cascade' } },
  });
  return {
    async next(repositoryId) {
      const number = (last.get(repositoryId)?.last ?? 0) + 1;
      last.upsert({ repositoryId, last: number });
      return number;
    },
    // Units of work run one after the other in memory.
    hold: async () => undefined,
    holdRepository: async () => undefined,
  };
}
