// The store of type schemes in memory.
import type { MemoryDatabase } from 'hexforge/plugin';
import type { TypeSchemeStore } from 'hexforge/issues';
import { typeTable } from '../tables-memory.ts';

interface Row {
  readonly repositoryId: string;
  readonly typeId: string;
  readonly position: number;
}

export function memoryTypeSchemeStore(database: MemoryDatabase): TypeSchemeStore {
  const types = typeTable(database);
  const schemes = database.table<Row>('issues_type_scheme', {
    key: ['repositoryId', 'typeId'],
    references: {
      repositoryId: { table: 'repositories_repository', onDelete: 'cascade' },
      typeId: { table: 'issues_type', onDelete: 'cascade' },
    },
  });
  return {
    typesOf: async (repositoryId) =>
      schemes.find({ where: { repositoryId }, orderBy: 'position' }).flatMap(({ typeId }) => types.get(typeId) ?? []),
    async replace(repositoryId, typeIds) {
      schemes.deleteWhere({ repositoryId });
      typeIds.forEach((typeId, position) => schemes.insert({ repositoryId, typeId, position }));
    },
  } satisfies TypeSchemeStore;
}
