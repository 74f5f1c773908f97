// Role templates on PostgreSQL.
import type { Kysely, Selectable, SqlDatabase } from 'hexforge/plugin';
import { nameKey, type RoleTemplate, type RoleTemplateStore } from 'hexforge/repositories';
import { RoleTemplateTable, type RepositoriesRows } from '../tables.ts';

const template = (row: Selectable<Omit<RepositoriesRows['repositories_role_template'], 'name_key'>>): RoleTemplate => ({
  id: row.id,
  repositoryId: row.repository_id,
  name: row.name,
  permissions: row.permissions,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

export function sqlRoleTemplateStore(database: SqlDatabase): RoleTemplateStore {
  const db = (): Kysely<RepositoriesRows> => database.kysely<RepositoriesRows>();
  return {
    async list(repositoryId) {
      return (
        await db()
          .selectFrom('repositories_role_template')
          .selectAll()
          .where('repository_id', '=', repositoryId)
          .orderBy('name_key')
          .execute()
      ).map(template);
    },

    async byId(id) {
      const row = await db()
        .selectFrom('repositories_role_template')
        .selectAll()
        .where('id', '=', id)
        .executeTakeFirst();
      return row === undefined ? undefined : template(row);
    },

    async insert(added) {
      await database
        .em()
        .insert(RoleTemplateTable, { ...added, permissions: [...added.permissions], nameKey: nameKey(added.name) });
    },

    async update(id, { name, permissions, updatedAt }) {
      return (
        (await database.em().nativeUpdate(
          RoleTemplateTable,
          { id },
          {
            updatedAt,
            ...(name !== undefined && { name, nameKey: nameKey(name) }),
            ...(permissions !== undefined && { permissions: [...permissions] }),
          },
        )) > 0
      );
    },

    async delete(id) {
      return (await database.em().nativeDelete(RoleTemplateTable, { id })) > 0;
    },
  } satisfies RoleTemplateStore;
}
