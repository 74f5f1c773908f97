// The store of issues in memory, for tests and for a forge that keeps nothing.
import type { MemoryDatabase } from 'hexforge/plugin';
import type { IssueStore } from 'hexforge/issues';
import { issueTable, typeTable } from '../tables-memory.ts';

export function memoryIssueStore(database: MemoryDatabase): IssueStore {
  typeTable(database);
  const issues = issueTable(database);
  return {
    countByAuthor: async (userIds) => new Map(userIds.map((id) => [id, issues.count({ authorId: id })])),
    countOpen: async (repositoryIds) =>
      new Map(repositoryIds.map((id) => [id, issues.count({ repositoryId: id, state: 'open' })])),
  } satisfies IssueStore;
}
