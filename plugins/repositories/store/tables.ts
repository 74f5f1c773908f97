// The tables of this plugin as entities, for writes.
import { defineEntity, p } from 'hexforge/plugin';
import { visibilities } from '#core/repositories/index';
import { CollaboratorTable, RoleTemplateTable } from './people-tables.ts';
import { ProtectionTable } from './protection-table.ts';

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
  },
});

export const entities = [RepositoryTable, CollaboratorTable, RoleTemplateTable, ProtectionTable];
