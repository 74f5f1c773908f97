// The tables of the plugin "repositories" as entities, and the types of rows in queries.
import { defineEntity, p, rows, type InferKyselyDB } from 'hexforge/plugin';
import type { IdentityViews } from 'hexforge/identity';
import { visibilities, type Brought, type Mark } from 'hexforge/repositories';

export const RepositoryTable = defineEntity({
  name: 'RepositoryTable',
  tableName: 'repositories_repository',
  properties: {
    id: p.uuid().primary(),
    ownerId: p.uuid(),
    name: p.text(),
    nameKey: p.text(),
    description: p.text(),
    visibility: p.enum(visibilities),
    defaultBranch: p.text(),
    issueCode: p.text(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
    parentId: p.uuid().nullable(),
    pruneAt: p.datetime().nullable(),
    bytes: p.bigint('number').default(0),
  },
});

export const CollaboratorTable = defineEntity({
  name: 'CollaboratorTable',
  tableName: 'repositories_collaborator',
  properties: {
    repositoryId: p.uuid().primary(),
    userId: p.uuid().primary(),
    role: p.text(),
    permissions: p.array(),
    roleTemplateId: p.uuid().nullable(),
    createdAt: p.datetime(),
  },
});

export const RoleTemplateTable = defineEntity({
  name: 'RoleTemplateTable',
  tableName: 'repositories_role_template',
  properties: {
    id: p.uuid().primary(),
    repositoryId: p.uuid(),
    name: p.text(),
    nameKey: p.text(),
    permissions: p.array(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
});

const mark = () => ({ repositoryId: p.uuid().primary(), userId: p.uuid().primary(), createdAt: p.datetime() });
export const StarTable = defineEntity({ name: 'StarTable', tableName: 'repositories_star', properties: mark() });
export const WatchTable = defineEntity({ name: 'WatchTable', tableName: 'repositories_watch', properties: mark() });

export const ProtectionTable = defineEntity({
  name: 'ProtectionTable',
  tableName: 'repositories_protection',
  properties: {
    repositoryId: p.uuid().primary(),
    branch: p.text().primary(),
    allowForcePush: p.boolean(),
    allowDeletion: p.boolean(),
    pushRoles: p.array(),
    requiredApprovals: p.integer(),
    dismissStaleApprovals: p.boolean(),
    pipelineOnOpen: p.boolean(),
    pipelineOnMerge: p.boolean(),
    updatedAt: p.datetime(),
  },
});

export const BroughtTable = defineEntity({
  name: 'BroughtTable',
  tableName: 'repositories_brought',
  properties: {
    requestId: p.uuid().primary(),
    repositoryId: p.uuid(),
    userId: p.uuid(),
    bytes: p.bigint('number'),
    letGoAt: p.datetime().nullable(),
  },
});

export const SettingTable = defineEntity({
  name: 'repositories.Setting',
  tableName: 'repositories_setting',
  properties: {
    repositoryId: p.uuid().primary(),
    key: p.text().primary(),
    text: p.text(),
    updatedAt: p.datetime(),
    hexforgePlugin: p.text(),
  },
});

export const entities = [
  RepositoryTable,
  CollaboratorTable,
  RoleTemplateTable,
  StarTable,
  WatchTable,
  ProtectionTable,
  BroughtTable,
  SettingTable,
] as const;

/** The foreign keys of rows that belong to a repository, and to one of its users. */
export const ofRepository = { repositoryId: { table: 'repositories_repository', onDelete: 'cascade' } } as const;
export const ofUser = { ...ofRepository, userId: { table: 'identity_user', onDelete: 'cascade' } } as const;

/** Mark to its table. */
export const markTables = { star: 'repositories_star', watch: 'repositories_watch' } as const satisfies Record<
  Mark,
  string
>;

interface MarkRow {
  readonly repositoryId: string;
  readonly userId: string;
  readonly createdAt: Date;
}
export const markRows = {
  star: rows<MarkRow>(StarTable, { references: ofUser }),
  watch: rows<MarkRow>(WatchTable, { references: ofUser }),
} satisfies Record<Mark, unknown>;

export interface CollaboratorRow extends MarkRow {
  readonly role: string;
  readonly permissions: readonly string[];
  readonly roleTemplateId: string | null;
}
export const collaboratorRows = rows<CollaboratorRow>(CollaboratorTable, { references: ofUser });

/** Merge requests for which objects were copied to a repository. */
export const broughtRows = rows<Brought>(BroughtTable, { references: ofUser });

/** The types of rows in queries, including the views of other areas. */
export type RepositoriesRows = InferKyselyDB<(typeof entities)[number]> & IdentityViews;
