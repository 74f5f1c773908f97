// The store of issue types in memory.
import type { MemoryDatabase } from 'hexforge/plugin';
import type { IssueTypeStore } from 'hexforge/issues';
import { typeTable } from '../tables-memory.ts';

export function memoryIssueTypeStore(database: MemoryDatabase): IssueTypeStore {
  const types = typeTable(database);
  return { byId: async (id) => types.get(id) };
}
