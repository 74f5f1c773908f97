// The store of collaborators in memory.
import { publicUsers, type MemoryDatabase } from 'hexforge/plugin';
import { isRole, nameKey, type CollaboratorStore, type PublicRepositoryRow } from 'hexforge/repositories';
import { collaboratorRows } from '../tables.ts';
import { collaborator } from './store.ts';

export function memoryCollaboratorStore(database: MemoryDatabase): CollaboratorStore {
  const rows = collaboratorRows.memory(database).table;
  const read = (where: { readonly repositoryId: string; readonly userId?: string }) => {
    const users = publicUsers(database);
    return rows.find({ where }).flatMap((row) => {
      const user = users.get(row.userId);
      return user === undefined ? [] : [collaborator({ ...row, user })];
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
    async lacking(userId, permission) {
      const published = database.published<PublicRepositoryRow>('repositories_public_repository');
      const isOthers = (id: string): boolean =>
        published.some((row) => row.id === id && row.visibility === 'private' && row.owner_id !== userId);
      return rows
        .find({
          where: ({ role, permissions, ...row }) =>
            row.userId === userId && !isRole(role) && !permissions.includes(permission),
        })
        .map(({ repositoryId }) => repositoryId)
        .filter(isOthers);
    },
    async put(repositoryId, userId, { role, permissions, roleTemplateId = null }, at) {
      const { createdAt } = rows.get([repositoryId, userId]) ?? { createdAt: at };
      const given = { role, permissions: isRole(role) ? [] : permissions, roleTemplateId };
      rows.upsert({ repositoryId, userId, ...given, createdAt });
    },
    remove: async (repositoryId, userId) => rows.delete([repositoryId, userId]),
  } satisfies CollaboratorStore;
}
