// The store of collaborators in memory.
import { publicUsers, type MemoryDatabase } from 'hexforge/plugin';
import { isRole, nameKey, type CollaboratorStore } from 'hexforge/repositories';
import { collaboratorTable } from '../tables-memory.ts';

export function memoryCollaboratorStore(database: MemoryDatabase): CollaboratorStore {
  const rows = collaboratorTable(database);
  const read = (where: { readonly repositoryId: string; readonly userId?: string }) => {
    const users = publicUsers(database);
    return rows.find({ where }).flatMap(({ userId, collaboration, createdAt }) => {
      const user = users.get(userId);
      return user === undefined ? [] : [{ user, collaboration, createdAt }];
    });
  };
  return {
    list: async (repositoryId) =>
      read({ repositoryId }).sort((a, b) => (nameKey(a.user.username) < nameKey(b.user.username) ? -1 : 1)),
    find: async (repositoryId, userId) => read({ repositoryId, userId })[0],
    among: async (repositoryId, userIds) =>
      new Map(
        read({ repositoryId })
          .filter(({ user }) => userIds.includes(user.id))
          .map(({ user, collaboration }) => [user.id, collaboration]),
      ),
    async put(repositoryId, userId, given, at) {
      const { createdAt } = rows.get([repositoryId, userId]) ?? { createdAt: at };
      const collaboration = { ...given, permissions: isRole(given.role) ? [] : given.permissions };
      rows.upsert({ repositoryId, userId, collaboration, createdAt });
    },
    remove: async (repositoryId, userId) => rows.delete([repositoryId, userId]),
  } satisfies CollaboratorStore;
}
