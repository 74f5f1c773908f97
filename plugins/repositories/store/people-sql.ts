// People around a repository on PostgreSQL: one query per read.
import { type ExpressionBuilder, type Kysely, rawSql, type SqlDatabase } from 'hexforge/plugin';
import type { IdentityViews } from '#core/identity/index';
import {
  isRole,
  nameKey,
  type Collaborator,
  type Mark,
  type PeopleCounts,
  type PeopleStore,
  type RoleTemplate,
} from '#core/repositories/index';
import { CollaboratorTable, RoleTemplateTable } from './people-tables.ts';

interface MarkRow {
  readonly repository_id: string;
  readonly user_id: string;
  readonly created_at: Date;
}

interface Views extends IdentityViews {
  repositories_repository: { readonly id: string; readonly parent_id: string | null };
  repositories_collaborator: {
    readonly repository_id: string;
    readonly user_id: string;
    readonly role: string;
    readonly permissions: readonly string[];
    readonly role_template_id: string | null;
    readonly created_at: Date;
  };
  repositories_role_template: {
    readonly id: string;
    readonly repository_id: string;
    readonly name: string;
    readonly name_key: string;
    readonly permissions: readonly string[];
    readonly created_at: Date;
    readonly updated_at: Date;
  };
  repositories_star: MarkRow;
  repositories_watch: MarkRow;
}

const tableOf = { star: 'repositories_star', watch: 'repositories_watch' } as const satisfies Record<Mark, keyof Views>;

const collaborators = (db: Kysely<Views>, repositoryId: string) =>
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

const template = (row: Omit<Views['repositories_role_template'], 'name_key'>): RoleTemplate => ({
  id: row.id,
  repositoryId: row.repository_id,
  name: row.name,
  permissions: row.permissions,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

/** Columns of `r`, a repository; of `userId` their own marks. */
export const countColumns =
  (userId: string | undefined) => (is: ExpressionBuilder<Views & { r: Views['repositories_repository'] }, 'r'>) => {
    // A null user has marked nothing.
    const user = rawSql<string>`${userId ?? null}::uuid`;
    const marks = (mark: Mark) => is.selectFrom(`${tableOf[mark]} as m`).whereRef('m.repository_id', '=', 'r.id');
    const count = is.fn.countAll<number>().as('count');
    return [
      marks('star').select(count).as('stars'),
      marks('watch').select(count).as('watchers'),
      is.selectFrom('repositories_repository as f').whereRef('f.parent_id', '=', 'r.id').select(count).as('forks'),
      is.exists(marks('star').select('m.user_id').where('m.user_id', '=', user)).as('starred'),
      is.exists(marks('watch').select('m.user_id').where('m.user_id', '=', user)).as('watching'),
    ] as const;
  };

type CountRow = { readonly [column in keyof PeopleCounts]?: PeopleCounts[column] | null | 0 | 1 };

export const peopleCounts = ({ stars, watchers, forks, starred, watching }: CountRow): PeopleCounts => ({
  stars: stars ?? 0,
  watchers: watchers ?? 0,
  forks: forks ?? 0,
  starred: starred === true,
  watching: watching === true,
});

export function sqlPeopleStore(database: SqlDatabase): Omit<PeopleStore, 'parentOf'> {
  const db = (): Kysely<Views> => database.kysely<Views>();
  return {
    async collaborators(repositoryId) {
      return (await collaborators(db(), repositoryId).execute()).map(collaborator);
    },

    async collaborator(repositoryId, userId) {
      const row = await collaborators(db(), repositoryId).where('c.user_id', '=', userId).executeTakeFirst();
      return row === undefined ? undefined : collaborator(row);
    },

    async putCollaborator(repositoryId, userId, { role, permissions, roleTemplateId }, at) {
      const given = { role, permissions: isRole(role) ? [] : [...permissions], roleTemplateId: roleTemplateId ?? null };
      await database
        .em()
        .upsert(
          CollaboratorTable,
          { repositoryId, userId, ...given, createdAt: at },
          { onConflictExcludeFields: ['createdAt'] },
        );
    },

    async removeCollaborator(repositoryId, userId) {
      return (await database.em().nativeDelete(CollaboratorTable, { repositoryId, userId })) > 0;
    },

    async roleTemplates(repositoryId) {
      return (
        await db()
          .selectFrom('repositories_role_template')
          .selectAll()
          .where('repository_id', '=', repositoryId)
          .orderBy('name_key')
          .execute()
      ).map(template);
    },

    async roleTemplate(id) {
      const row = await db()
        .selectFrom('repositories_role_template')
        .selectAll()
        .where('id', '=', id)
        .executeTakeFirst();
      return row === undefined ? undefined : template(row);
    },

    async insertRoleTemplate(added) {
      await database
        .em()
        .insert(RoleTemplateTable, { ...added, permissions: [...added.permissions], nameKey: nameKey(added.name) });
    },

    async updateRoleTemplate(id, { name, permissions, updatedAt }) {
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

    async deleteRoleTemplate(id) {
      return (await database.em().nativeDelete(RoleTemplateTable, { id })) > 0;
    },

    async mark(mark, repositoryId, userId, at) {
      const { numInsertedOrUpdatedRows } = await db()
        .insertInto(tableOf[mark])
        .values({ repository_id: repositoryId, user_id: userId, created_at: at })
        .onConflict((conflict) => conflict.doNothing())
        .executeTakeFirst();
      return (numInsertedOrUpdatedRows ?? 0n) > 0n;
    },

    async unmark(mark, repositoryId, userId) {
      const { numDeletedRows } = await db()
        .deleteFrom(tableOf[mark])
        .where('repository_id', '=', repositoryId)
        .where('user_id', '=', userId)
        .executeTakeFirst();
      return numDeletedRows > 0n;
    },

    async peopleCounts(repositoryIds, userId) {
      if (repositoryIds.length === 0) return new Map();
      const rows = await db()
        .selectFrom('repositories_repository as r')
        .where('r.id', 'in', repositoryIds)
        .select('r.id')
        .select(countColumns(userId))
        .execute();
      return new Map(rows.map((row) => [row.id, peopleCounts(row)]));
    },
  };
}
