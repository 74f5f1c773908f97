// The store of type schemes in memory.
import type { MemoryDatabase } from 'hexforge/plugin';
import type { TypeSchemeStore } from 'hexforge/issues';
import { schemeRows, typeRows } from '../tables.ts';
import { schemeWrites } from './store.ts';

export function memoryTypeSchemeStore(database: MemoryDatabase): TypeSchemeStore {
  const types = typeRows.memory(database).table;
  const schemes = schemeRows.memory(database).table;
  return {
    ...schemeWrites.memory(database),
    typesOf: async (repositoryId) =>
      schemes.find({ where: { repositoryId }, orderBy: 'position' }).flatMap(({ typeId }) => types.get(typeId) ?? []),
  } satisfies TypeSchemeStore;
}
