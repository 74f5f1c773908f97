// The in-memory tables that several stores use, with the keys and foreign keys that the migrations declare.
import type { MemoryDatabase, MemoryTable } from 'hexforge/plugin';
import {
  builtInTypes,
  componentName,
  typeNameUnique,
  versionName,
  type Association,
  type Component,
  type DescriptionEdit,
  type Issue,
  type IssueComment,
  type IssueLink,
  type IssueType,
  type Version,
} from 'hexforge/issues';

export function typeTable(database: MemoryDatabase): MemoryTable<IssueType> {
  const types = database.table<IssueType>('issues_type', { key: 'id', uniques: { [typeNameUnique]: ['name'] } });
  // Inserts the same types as the migration.
  if (types.count() === 0) for (const type of builtInTypes) types.insert(type);
  return types;
}

/** Deleting a parent unsets `parentId` in memory, while SQL sets it to null. */
export type StoredIssue = Omit<Issue, 'parentId'> & { readonly parentId?: string | null | undefined };

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

const ofIssue = { issueId: { table: 'issues_issue', onDelete: 'cascade' } } as const;

export const labelTable = (database: MemoryDatabase) =>
  database.table<{ readonly issueId: string; readonly labelId: string }>('issues_issue_label', {
    key: ['issueId', 'labelId'],
    references: ofIssue,
  });

export const userTable = (database: MemoryDatabase, name: 'issues_assignee' | 'issues_watcher') =>
  database.table<{ readonly issueId: string; readonly userId: string }>(name, {
    key: ['issueId', 'userId'],
    references: { ...ofIssue, userId: { table: 'identity_user', onDelete: 'cascade' } },
  });

const named = (unique: string) =>
  ({
    uniques: { [unique]: ['repositoryId', 'nameKey'] },
    references: { repositoryId: { table: 'repositories_repository', onDelete: 'cascade' } },
  }) as const;
/** The constraints of the tables of components and versions. */
export const componentConstraints = named(componentName);
export const versionConstraints = named(versionName);

export const componentTable = (database: MemoryDatabase): MemoryTable<Component> =>
  database.table<Component>('issues_component', { ...componentConstraints, key: 'id' });
export const versionTable = (database: MemoryDatabase): MemoryTable<Version> =>
  database.table<Version>('issues_version', { ...versionConstraints, key: 'id' });

/** The associations of issues with components and versions; both kinds of versions share a table, as in SQL. */
export function linkTables(database: MemoryDatabase) {
  const links = (name: string, table: string) =>
    database.table<{ readonly issueId: string; readonly association: Association; readonly thingId: string }>(name, {
      key: ['issueId', 'association', 'thingId'],
      references: { ...ofIssue, thingId: { table, onDelete: 'cascade' } },
    });
  const versions = links('issues_issue_version', 'issues_version');
  return {
    components: links('issues_issue_component', 'issues_component'),
    fixVersions: versions,
    affectsVersions: versions,
  } satisfies Record<Association, unknown>;
}

const byUser = { table: 'identity_user', onDelete: 'restrict' } as const;
/** The constraints of the tables of comments and of changes of descriptions. */
export const commentConstraints = { references: { ...ofIssue, authorId: byUser } } as const;
export const editConstraints = { references: { ...ofIssue, editedBy: byUser } } as const;

export const commentTable = (database: MemoryDatabase): MemoryTable<IssueComment> =>
  database.table<IssueComment>('issues_comment', { ...commentConstraints, key: 'id' });
export const editTable = (database: MemoryDatabase): MemoryTable<DescriptionEdit> =>
  database.table<DescriptionEdit>('issues_description_edit', { ...editConstraints, key: 'id' });

export const issueLinkTable = (database: MemoryDatabase): MemoryTable<IssueLink> =>
  database.table<IssueLink>('issues_link', {
    key: 'id',
    uniques: { issues_link_ends: ['sourceId', 'type', 'targetId'] },
    references: { sourceId: ofIssue.issueId, targetId: ofIssue.issueId },
  });
