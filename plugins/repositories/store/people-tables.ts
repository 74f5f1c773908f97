// The tables of people around a repository as entities, for writes.
import { defineEntity, p } from 'hexforge/plugin';

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
