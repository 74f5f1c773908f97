// Role templates in memory.
import type { MemoryDatabase } from 'hexforge/plugin';
import { nameKey, roleTemplateName, type RoleTemplate, type RoleTemplateStore } from 'hexforge/repositories';

export function memoryRoleTemplateStore(database: MemoryDatabase): RoleTemplateStore {
  const templates = database.table<RoleTemplate>('repositories_role_template', {
    key: 'id',
    uniques: { [roleTemplateName]: ({ repositoryId, name }) => [repositoryId, nameKey(name)] },
    references: { repositoryId: { table: 'repositories_repository', onDelete: 'cascade' } },
  });
  return {
    list: async (repositoryId) => templates.find({ where: { repositoryId }, orderBy: ({ name }) => nameKey(name) }),
    byId: async (id) => templates.get(id),
    insert: async (template) => templates.insert(template),
    update: async (id, patch) => templates.update(id, patch),
    delete: async (id) => templates.delete(id),
  } satisfies RoleTemplateStore;
}
