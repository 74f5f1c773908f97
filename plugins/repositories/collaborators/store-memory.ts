// Collaborators in memory.
import type { MemoryDatabase, MemoryTable } from 'hexforge/plugin';
import type { PublicUserRow } from 'hexforge/identity';
import { isRole, nameKey, type Collaboration, type CollaboratorStore } from 'hexforge/repositories';

interface Row extends Collaboration {
  readonly repositoryId: string;
  readonly userId: string;
  readonly createdAt: Date;
}

const keyOf = ({ repositoryId, userId }: Pick<Row, 'repositoryId' | 'userId'>): string => `${repositoryId}/${userId}`;

export const collaboratorTable = (database: MemoryDatabase): MemoryTable<Row> =>
  database.table<Row>('repositories_collaborator', { key: keyOf });

export function memoryCollaboratorStore(database: MemoryDatabase): CollaboratorStore {
  const rows = collaboratorTable(database);
  const of = (repositoryId: string) => {
    const users = new Map(database.published<PublicUserRow>('identity_public_user').map((user) => [user.id, user]));
    return rows
      .all()
      .filter((row) => row.repositoryId === repositoryId)
      .flatMap(({ userId, createdAt, role, permissions, roleTemplateId }) => {
        const user = users.get(userId);
        if (user === undefined) return [];
        const { id, username, display_name: displayName, avatar_url: avatarUrl } = user;
        const collaboration = { role, permissions, ...(roleTemplateId !== undefined && { roleTemplateId }) };
        return [{ user: { id, username, displayName, avatarUrl }, collaboration, createdAt }];
      })
      .sort((a, b) => (nameKey(a.user.username) < nameKey(b.user.username) ? -1 : 1));
  };
  return {
    list: async (repositoryId) => of(repositoryId),
    find: async (repositoryId, userId) => of(repositoryId).find(({ user }) => user.id === userId),
    async put(repositoryId, userId, { role, permissions, roleTemplateId }, at) {
      const key = keyOf({ repositoryId, userId });
      const { createdAt } = rows.get(key) ?? { createdAt: at };
      rows.delete(key);
      const given = { role, permissions: isRole(role) ? [] : permissions };
      rows.insert({
        repositoryId,
        userId,
        ...given,
        ...(roleTemplateId !== undefined && { roleTemplateId }),
        createdAt,
      });
    },
    remove: async (repositoryId, userId) => rows.delete(keyOf({ repositoryId, userId })),
  } satisfies CollaboratorStore;
}
