// Role templates in memory.
import type { MemoryDatabase, MemoryTable } from 'hexforge/plugin';
import { nameKey, roleTemplateName, type RoleTemplate, type RoleTemplateStore } from 'hexforge/repositories';

export const roleTemplateTable = (database: MemoryDatabase): MemoryTable<RoleTemplate> =>
  database.table<RoleTemplate>('repositories_role_template', {
    key: ({ id }) => id,
    uniques: { [roleTemplateName]: ({ repositoryId, name }) => `${repositoryId}/${nameKey(name)}` },
  });

export function memoryRoleTemplateStore(database: MemoryDatabase): RoleTemplateStore {
  const rows = roleTemplateTable(database);
  return {
    list: async (repositoryId) =>
      rows
        .all()
        .filter((row) => row.repositoryId === repositoryId)
        .sort((a, b) => (nameKey(a.name) < nameKey(b.name) ? -1 : 1)),
    byId: async (id) => rows.get(id),
    insert: async (template) => rows.insert(template),
    async update(id, patch) {
      if (rows.get(id) === undefined) return false;
      rows.update(id, patch);
      return true;
    },
    delete: async (id) => rows.delete(id),
  } satisfies RoleTemplateStore;
}
