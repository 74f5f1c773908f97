// The tables in memory that several stores read, with their keys and foreign keys as the migrations declare them.
import type { MemoryDatabase, MemoryTable } from 'hexforge/plugin';
import {
  builtInTypes,
  componentName,
  typeNameUnique,
  versionName,
  type Component,
  type Issue,
  type IssueType,
  type Version,
} from 'hexforge/issues';

export function typeTable(database: MemoryDatabase): MemoryTable<IssueType> {
  const types = database.table<IssueType>('issues_type', { key: 'id', uniques: { [typeNameUnique]: ['name'] } });
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

const named = (unique: string) =>
  ({
    uniques: { [unique]: ['repositoryId', 'nameKey'] },
    references: { repositoryId: { table: 'repositories_repository', onDelete: 'cascade' } },
  }) as const;
/** Constraints of the tables of components and versions. */
export const componentConstraints = named(componentName);
export const versionConstraints = named(versionName);

export const componentTable = (database: MemoryDatabase): MemoryTable<Component> =>
  database.table<Component>('issues_component', { ...componentConstraints, key: 'id' });
export const versionTable = (database: MemoryDatabase): MemoryTable<Version> =>
  database.table<Version>('issues_version', { ...versionConstraints, key: 'id' });
