// The store of collaborators in PostgreSQL.
import type { Kysely, SqlDatabase } from 'hexforge/plugin';
import { isRole, type Collaborator, type CollaboratorStore } from 'hexforge/repositories';
import { CollaboratorTable, type RepositoriesRows } from '../tables.ts';

const collaborators = (db: Kysely<RepositoriesRows>, repositoryId: string) =>
  db
    .selectFrom('repositories_collaborator as c')
    .innerJoin('identity_public_user as u', 'u.id', 'c.user_id')
    .select([
      'u.id',
      'u.username',
      'u.display_name',
      'u.avatar_url',
      'c.role',
      'c.permissions',
      'c.role_template_id',
      'c.created_at',
    ])
    .where('c.repository_id', '=', repositoryId)
    .orderBy('u.username_key');

const collaborator = (
  row: Awaited<ReturnType<ReturnType<typeof collaborators>['executeTakeFirstOrThrow']>>,
): Collaborator => ({
  user: { id: row.id, username: row.username, displayName: row.display_name, avatarUrl: row.avatar_url },
  collaboration: {
    role: row.role,
    permissions: row.permissions,
    ...(row.role_template_id !== null && { roleTemplateId: row.role_template_id }),
  },
  createdAt: row.created_at,
});

export function sqlCollaboratorStore(database: SqlDatabase): CollaboratorStore {
  const db = (): Kysely<RepositoriesRows> => database.kysely<RepositoriesRows>();
  return {
    async list(repositoryId) {
      return (await collaborators(db(), repositoryId).execute()).map(collaborator);
    },

    async find(repositoryId, userId) {
      const row = await collaborators(db(), repositoryId).where('c.user_id', '=', userId).executeTakeFirst();
      return row === undefined ? undefined : collaborator(row);
    },

    async among(repositoryId, userIds) {
      if (userIds.length === 0) return new Map();
      const rows = await collaborators(db(), repositoryId).where('c.user_id', 'in', userIds).execute();
      return new Map(rows.map(collaborator).map(({ user, collaboration }) => [user.id, collaboration]));
    },

    async put(repositoryId, userId, { role, permissions, roleTemplateId }, at) {
      const given = { role, permissions: isRole(role) ? [] : [...permissions], roleTemplateId: roleTemplateId ?? null };
      await database
        .em()
        .upsert(
          CollaboratorTable,
          { repositoryId, userId, ...given, createdAt: at },
          { onConflictExcludeFields: ['createdAt'] },
        );
    },

    async remove(repositoryId, userId) {
      return (await database.em().nativeDelete(CollaboratorTable, { repositoryId, userId })) > 0;
    },
  } satisfies CollaboratorStore;
}
