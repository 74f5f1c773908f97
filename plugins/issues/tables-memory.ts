// The tables in memory that several stores read, with their keys and foreign keys as the migrations declare them.
import type { MemoryDatabase, MemoryTable } from 'hexforge/plugin';
import { builtInTypes, type Issue, type IssueType } from 'hexforge/issues';

export function typeTable(database: MemoryDatabase): MemoryTable<IssueType> {
  const types = database.table<IssueType>('issues_type', { key: 'id', uniques: { issues_type_name: ['name'] } });
  // What the migration inserts.
  if (types.count() === 0) for (const type of builtInTypes) types.insert(type);
  return types;
}

/** What is unset of a row in memory is undefined. */
export type StoredIssue = Omit<Issue, 'parentId'> & { readonly parentId?: string | undefined };

export const issueTable = (database: MemoryDatabase): MemoryTable<StoredIssue> =>
  database.table<StoredIssue>('issues_issue', {
    key: 'id',
    uniques: { issues_issue_number: ['repositoryId', 'number'] },
    references: {
      repositoryId: { table: 'repositories_repository', onDelete: 'cascade' },
      authorId: { table: 'identity_user', onDelete: 'restrict' },
      typeId: { table: 'issues_type', onDelete: 'restrict' },
      parentId: { table: 'issues_issue', onDelete: 'set null' },
    },
  });
