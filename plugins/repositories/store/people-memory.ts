// People around a repository in memory.
import type { MemoryDatabase, MemoryTable } from 'hexforge/plugin';
import type { PublicUserRow } from '#core/identity/index';
import {
  isRole,
  nameKey,
  uniques,
  type Collaboration,
  type Mark,
  type PeopleStore,
  type RoleTemplate,
} from '#core/repositories/index';

interface MarkRow {
  readonly repositoryId: string;
  readonly userId: string;
  readonly createdAt: Date;
}
type CollaboratorRow = Collaboration & MarkRow;

interface ForkRow {
  readonly id: string;
  readonly parentId: string;
}

const keyOf = ({ repositoryId, userId }: Pick<MarkRow, 'repositoryId' | 'userId'>): string =>
  `${repositoryId}/${userId}`;

export interface MemoryPeople {
  readonly store: Omit<PeopleStore, 'parentOf'>;
  readonly collaboration: (repositoryId: string, userId: string) => Collaboration | undefined;
  readonly forks: MemoryTable<ForkRow>;
  /** Removes what goes with a repository. */
  forget(repositoryId: string): void;
}

export function memoryPeople(database: MemoryDatabase): MemoryPeople {
  const collaborators = database.table<CollaboratorRow>('repositories_collaborator', { key: keyOf });
  const templates = database.table<RoleTemplate>('repositories_role_template', {
    key: ({ id }) => id,
    uniques: { [uniques.roleTemplate]: ({ repositoryId, name }) => `${repositoryId}/${nameKey(name)}` },
  });
  const forks = database.table<ForkRow>('repositories_fork', { key: ({ id }) => id });
  const marks: Readonly<Record<Mark, MemoryTable<MarkRow>>> = {
    star: database.table<MarkRow>('repositories_star', { key: keyOf }),
    watch: database.table<MarkRow>('repositories_watch', { key: keyOf }),
  };
  const collaboration = (repositoryId: string, userId: string): Collaboration | undefined => {
    const row = collaborators.get(keyOf({ repositoryId, userId }));
    return (
      row && {
        role: row.role,
        permissions: row.permissions,
        ...(row.roleTemplateId !== undefined && { roleTemplateId: row.roleTemplateId }),
      }
    );
  };
  const of = (repositoryId: string, userId?: string) => {
    const users = new Map(database.published<PublicUserRow>('identity_public_user').map((user) => [user.id, user]));
    return collaborators
      .all()
      .filter((row) => row.repositoryId === repositoryId && (userId === undefined || row.userId === userId))
      .flatMap((row) => {
        const user = users.get(row.userId);
        const given = collaboration(repositoryId, row.userId);
        return user === undefined || given === undefined
          ? []
          : [
              {
                user: {
                  id: user.id,
                  username: user.username,
                  displayName: user.display_name,
                  avatarUrl: user.avatar_url,
                },
                collaboration: given,
                createdAt: row.createdAt,
              },
            ];
      })
      .sort((a, b) => (nameKey(a.user.username) < nameKey(b.user.username) ? -1 : 1));
  };
  return {
    collaboration,
    forks,
    forget(repositoryId) {
      for (const table of [collaborators, marks.star, marks.watch])
        for (const row of table.all()) if (row.repositoryId === repositoryId) table.delete(keyOf(row));
      for (const { id, repositoryId: of_ } of templates.all()) if (of_ === repositoryId) templates.delete(id);
      for (const { id, parentId } of forks.all())
        if (id === repositoryId || parentId === repositoryId) forks.delete(id);
    },
    store: {
      collaborators: async (repositoryId) => of(repositoryId),
      collaborator: async (repositoryId, userId) => of(repositoryId, userId)[0],
      async putCollaborator(repositoryId, userId, { role, permissions, roleTemplateId }, at) {
        const key = keyOf({ repositoryId, userId });
        const { createdAt } = collaborators.get(key) ?? { createdAt: at };
        collaborators.delete(key);
        collaborators.insert({
          repositoryId,
          userId,
          role,
          permissions: isRole(role) ? [] : permissions,
          ...(roleTemplateId !== undefined && { roleTemplateId }),
          createdAt,
        });
      },
      removeCollaborator: async (repositoryId, userId) => collaborators.delete(keyOf({ repositoryId, userId })),
      roleTemplates: async (repositoryId) =>
        templates
          .all()
          .filter((row) => row.repositoryId === repositoryId)
          .sort((a, b) => (nameKey(a.name) < nameKey(b.name) ? -1 : 1)),
      roleTemplate: async (id) => templates.get(id),
      insertRoleTemplate: async (template) => templates.insert(template),
      async updateRoleTemplate(id, patch) {
        if (templates.get(id) === undefined) return false;
        templates.update(id, patch);
        return true;
      },
      deleteRoleTemplate: async (id) => templates.delete(id),
      async mark(mark, repositoryId, userId, at) {
        if (marks[mark].get(keyOf({ repositoryId, userId })) !== undefined) return false;
        marks[mark].insert({ repositoryId, userId, createdAt: at });
        return true;
      },
      unmark: async (mark, repositoryId, userId) => marks[mark].delete(keyOf({ repositoryId, userId })),
      async peopleCounts(repositoryIds, userId) {
        const marked = (mark: Mark, repositoryId: string): boolean =>
          userId !== undefined && marks[mark].get(keyOf({ repositoryId, userId })) !== undefined;
        const count = (mark: Mark, id: string): number =>
          marks[mark].all().filter(({ repositoryId }) => repositoryId === id).length;
        return new Map(
          repositoryIds.map((id) => [
            id,
            {
              stars: count('star', id),
              watchers: count('watch', id),
              forks: forks.all().filter(({ parentId }) => parentId === id).length,
              starred: marked('star', id),
              watching: marked('watch', id),
            },
          ]),
        );
      },
    },
  };
}
