// The tables of the plugin "issues" as entities, and the types of rows in queries.
import { defineEntity, numbers, p, rows, type InferKyselyDB, type MemoryDatabase } from 'hexforge/plugin';
import type { IdentityViews } from 'hexforge/identity';
import type { RepositoryViews } from 'hexforge/repositories';
import {
  builtInTypes,
  componentName,
  issueStates,
  issueStatuses,
  linkTypes,
  priorities,
  typeNameUnique,
  versionName,
  type Component,
  type DescriptionEdit,
  type Issue,
  type IssueComment,
  type IssueLink,
  type IssueType,
  type Version,
} from 'hexforge/issues';

/** The kinds of association between a version and an issue. */
const versionKinds = ['fix', 'affects'] as const;

export const TypeTable = defineEntity({
  name: 'issues.Type',
  tableName: 'issues_type',
  properties: {
    id: p.uuid().primary(),
    name: p.text(),
    displayName: p.text(),
    description: p.text(),
    color: p.text(),
    icon: p.text(),
    isSubtask: p.boolean(),
    position: p.integer(),
  },
});

export const IssueTable = defineEntity({
  name: 'issues.Issue',
  tableName: 'issues_issue',
  properties: {
    id: p.uuid().primary(),
    repositoryId: p.uuid(),
    number: p.integer(),
    authorId: p.uuid(),
    title: p.text(),
    titleKey: p.text(),
    titleWords: p.text(),
    description: p.text(),
    descriptionWords: p.text(),
    state: p.enum(issueStates),
    status: p.enum(issueStatuses),
    priority: p.enum(priorities),
    locked: p.boolean(),
    closedAt: p.datetime().nullable(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
    typeId: p.uuid(),
    parentId: p.uuid().nullable(),
    dueDate: p.date().nullable(),
    milestoneId: p.uuid().nullable(),
    storyPoints: p.bigint('number').nullable(),
    inputTokens: p.bigint('number').nullable(),
    outputTokens: p.bigint('number').nullable(),
    assumptions: p.text().nullable(),
    acceptanceCriteria: p.text().nullable(),
  },
});

export const IssueLabelTable = defineEntity({
  name: 'issues.IssueLabel',
  tableName: 'issues_issue_label',
  properties: { issueId: p.uuid().primary(), labelId: p.uuid().primary() },
});

const ofUser = () => ({ issueId: p.uuid().primary(), userId: p.uuid().primary() });
export const AssigneeTable = defineEntity({
  name: 'issues.Assignee',
  tableName: 'issues_assignee',
  properties: ofUser(),
});
export const WatcherTable = defineEntity({
  name: 'issues.Watcher',
  tableName: 'issues_watcher',
  properties: ofUser(),
});

export const SchemeTable = defineEntity({
  name: 'issues.Scheme',
  tableName: 'issues_type_scheme',
  properties: { repositoryId: p.uuid().primary(), typeId: p.uuid().primary(), position: p.integer() },
});

const named = () => ({
  id: p.uuid().primary(),
  repositoryId: p.uuid(),
  name: p.text(),
  nameKey: p.text(),
  description: p.text(),
});
export const ComponentTable = defineEntity({
  name: 'issues.Component',
  tableName: 'issues_component',
  properties: named(),
});
export const VersionTable = defineEntity({
  name: 'issues.Version',
  tableName: 'issues_version',
  properties: { ...named(), released: p.boolean(), releaseDate: p.date().nullable() },
});

export const IssueComponentTable = defineEntity({
  name: 'issues.IssueComponent',
  tableName: 'issues_issue_component',
  properties: { issueId: p.uuid().primary(), componentId: p.uuid().primary() },
});
export const IssueVersionTable = defineEntity({
  name: 'issues.IssueVersion',
  tableName: 'issues_issue_version',
  properties: { issueId: p.uuid().primary(), kind: p.enum(versionKinds).primary(), versionId: p.uuid().primary() },
});

export const CommentTable = defineEntity({
  name: 'issues.Comment',
  tableName: 'issues_comment',
  properties: {
    id: p.uuid().primary(),
    issueId: p.uuid(),
    authorId: p.uuid(),
    body: p.text(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
});
export const DescriptionEditTable = defineEntity({
  name: 'issues.DescriptionEdit',
  tableName: 'issues_description_edit',
  properties: {
    id: p.uuid().primary(),
    issueId: p.uuid(),
    bodyBefore: p.text(),
    bodyAfter: p.text(),
    editedBy: p.uuid(),
    editedAt: p.datetime(),
  },
});
export const LinkTable = defineEntity({
  name: 'issues.Link',
  tableName: 'issues_link',
  properties: {
    id: p.uuid().primary(),
    sourceId: p.uuid(),
    targetId: p.uuid(),
    type: p.enum(linkTypes),
    createdAt: p.datetime(),
  },
});

export const issueNumbers = numbers('issues_number');

const ofRepository = { repositoryId: { table: 'repositories_repository', onDelete: 'cascade' } } as const;
const ofIssue = { issueId: { table: 'issues_issue', onDelete: 'cascade' } } as const;
const byUser = { table: 'identity_user', onDelete: 'restrict' } as const;
const withUser = { references: { ...ofIssue, userId: { table: 'identity_user', onDelete: 'cascade' } } } as const;
const namedIn = (unique: string) =>
  ({ uniques: { [unique]: ['repositoryId', 'nameKey'] }, references: ofRepository }) as const;

const storedTypes = rows<IssueType>(TypeTable, { uniques: { [typeNameUnique]: ['name'] } });
export const typeRows = {
  ...storedTypes,
  memory(database: MemoryDatabase) {
    const types = storedTypes.memory(database);
    // Inserts the same types as the migration.
    if (types.table.count() === 0) for (const type of builtInTypes) types.table.insert(type);
    return types;
  },
};
export const schemeRows = rows<{ readonly repositoryId: string; readonly typeId: string; readonly position: number }>(
  SchemeTable,
  { references: { ...ofRepository, typeId: { table: 'issues_type', onDelete: 'cascade' } } },
);
/** In memory, without the members for the search. */
export const issueRows = rows<Issue>(IssueTable, {
  uniques: { issues_issue_number: ['repositoryId', 'number'] },
  references: {
    ...ofRepository,
    authorId: byUser,
    typeId: { table: 'issues_type', onDelete: 'restrict' },
    parentId: { table: 'issues_issue', onDelete: 'set null' },
  },
});
export const labelRows = rows<{ readonly issueId: string; readonly labelId: string }>(IssueLabelTable, {
  references: ofIssue,
});
interface OfUser {
  readonly issueId: string;
  readonly userId: string;
}
export const assigneeRows = rows<OfUser>(AssigneeTable, withUser);
export const watcherRows = rows<OfUser>(WatcherTable, withUser);
export const componentRows = rows<Component>(ComponentTable, namedIn(componentName));
export const versionRows = rows<Version>(VersionTable, namedIn(versionName));
export const issueComponentRows = rows<{ readonly issueId: string; readonly componentId: string }>(
  IssueComponentTable,
  { references: { ...ofIssue, componentId: { table: 'issues_component', onDelete: 'cascade' } } },
);
export const issueVersionRows = rows<{
  readonly issueId: string;
  readonly kind: (typeof versionKinds)[number];
  readonly versionId: string;
}>(IssueVersionTable, { references: { ...ofIssue, versionId: { table: 'issues_version', onDelete: 'cascade' } } });
export const commentRows = rows<IssueComment>(CommentTable, { references: { ...ofIssue, authorId: byUser } });
export const editRows = rows<DescriptionEdit>(DescriptionEditTable, { references: { ...ofIssue, editedBy: byUser } });
export const linkRows = rows<IssueLink>(LinkTable, {
  uniques: { issues_link_ends: ['sourceId', 'type', 'targetId'] },
  references: { sourceId: ofIssue.issueId, targetId: ofIssue.issueId },
});

export const entities = [
  TypeTable,
  SchemeTable,
  ComponentTable,
  VersionTable,
  IssueComponentTable,
  IssueVersionTable,
  IssueTable,
  IssueLabelTable,
  AssigneeTable,
  WatcherTable,
  CommentTable,
  DescriptionEditTable,
  LinkTable,
] as const;

/** The types of rows in queries, including the views of other areas. */
export type IssuesRows = InferKyselyDB<(typeof entities)[number]> & IdentityViews & RepositoryViews;
