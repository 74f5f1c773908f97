// The store of branch protection in memory.
import type { MemoryDatabase } from 'hexforge/plugin';
import type { Protection, ProtectionStore } from 'hexforge/repositories';

interface Row {
  readonly repositoryId: string;
  readonly branch: string;
  readonly protection: Protection;
}

export function memoryProtectionStore(database: MemoryDatabase): ProtectionStore {
  const rows = database.table<Row>('repositories_protection', {
    key: ['repositoryId', 'branch'],
    references: { repositoryId: { table: 'repositories_repository', onDelete: 'cascade' } },
  });
  return {
    all: async (repositoryId) =>
      new Map(rows.find({ where: { repositoryId } }).map(({ branch, protection }) => [branch, protection])),
    put: async (repositoryId, branch, protection) => rows.upsert({ repositoryId, branch, protection }),
    delete: async (repositoryId, branch) => rows.delete([repositoryId, branch]),
  } satisfies ProtectionStore;
}
