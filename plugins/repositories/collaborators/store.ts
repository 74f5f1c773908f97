// The store of collaborators in PostgreSQL.
import { nesting, publicUserColumns, rawSql, type Kysely, type SqlDatabase } from 'hexforge/plugin';
import { isRole, roles, type Collaborator, type CollaboratorStore } from 'hexforge/repositories';
import { CollaboratorTable, type CollaboratorRow, type RepositoriesRows } from '../tables.ts';

const collaborators = (db: Kysely<RepositoriesRows>, repositoryId: string) =>
  db
    .selectFrom('repositories_collaborator as c')
    .innerJoin('identity_public_user as u', 'u.id', 'c.user_id')
    .select(publicUserColumns('u', 'user'))
    .select(['c.role', 'c.permissions', 'c.role_template_id as roleTemplateId', 'c.created_at as createdAt'])
    .where('c.repository_id', '=', repositoryId)
    .orderBy('u.username_key');

const joined = nesting<typeof collaborators>();

/** Converts the columns of a collaborator, read in SQL or in memory. */
export const collaborator = ({
  role,
  permissions,
  roleTemplateId,
  createdAt,
  user,
}: Omit<CollaboratorRow, 'repositoryId' | 'userId'> & Pick<Collaborator, 'user'>): Collaborator => ({
  user,
  collaboration: { role, permissions, ...(roleTemplateId !== null && { roleTemplateId }) },
  createdAt,
});

export function sqlCollaboratorStore(database: SqlDatabase): CollaboratorStore {
  const db = (): Kysely<RepositoriesRows> => database.kysely<RepositoriesRows>();
  return {
    async list(repositoryId) {
      return (await collaborators(db(), repositoryId).execute()).map((row) => collaborator(joined(row)));
    },

    async find(repositoryId, userId) {
      const row = await collaborators(db(), repositoryId).where('c.user_id', '=', userId).executeTakeFirst();
      return row && collaborator(joined(row));
    },

    async among(repositoryId, userIds) {
      if (userIds.length === 0) return new Map();
      const rows = await collaborators(db(), repositoryId).where('c.user_id', 'in', userIds).execute();
      return new Map(
        rows.map((row) => collaborator(joined(row))).map(({ user, collaboration }) => [user.id, collaboration]),
      );
    },

    async lacking(userId, permission) {
      const rows = await db()
        .selectFrom('repositories_collaborator as c')
        .innerJoin('repositories_repository as r', 'r.id', 'c.repository_id')
        .select('r.id')
        .where('c.user_id', '=', userId)
        .where('r.owner_id', '<>', userId)
        .where('r.visibility', '=', 'private')
        .where('c.role', 'not in', [...roles])
        .where(rawSql<boolean>`not ${permission} = any (c.permissions)`)
        .limit(1000)
        .execute();
      return rows.map(({ id }) => id);
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
