// The store of user groups and their members in memory.
import { groupNameKey, seededGroups, usernameKey } from 'hexforge/identity';
import type { GroupStore, UserGroup } from 'hexforge/identity';
import type { MemoryDatabase } from 'hexforge/plugin';
import { groupMembers, groups as groupTable, users as userTable, type UserRow } from '../tables-memory.ts';

const seeds = [
  ['anonymous', 'Anonymous', 'Callers without a credential', 'member'],
  ['general', 'General', 'Everybody who has an account', 'member'],
  ['admin', 'Admin', 'Administrators of the instance', 'instance_admin'],
] as const;

export function memoryGroupStore(database: MemoryDatabase): GroupStore {
  const users = userTable(database);
  const groups = groupTable(database);
  const memberships = groupMembers(database);
  const now = new Date();
  for (const [slug, name, description, role] of seeds)
    if (groups.get(seededGroups[slug]) === undefined)
      groups.insert({
        id: seededGroups[slug],
        slug,
        name,
        description,
        role,
        isSystem: true,
        createdAt: now,
        updatedAt: now,
      });

  const isIn = ({ id }: Pick<UserGroup, 'id'>, user: UserRow): boolean => {
    if (id === seededGroups.general) return true;
    if (id === seededGroups.admin) return user.isAdmin;
    return memberships.get([id, user.id]) !== undefined;
  };
  const counted = (group: UserGroup) => ({ ...group, memberCount: users.count((user) => isIn(group, user)) });
  const ordered = () =>
    groups.find({
      orderBy: [({ isSystem }) => (isSystem ? 0 : 1), ({ isSystem, id, name }) => (isSystem ? id : groupNameKey(name))],
    });

  return {
    all: async () => ordered().map(counted),
    async byId(id) {
      const group = groups.get(id);
      return group && counted(group);
    },
    count: async () => groups.count(),
    insert: async (group) => groups.insert(group),
    lock: async (id) => groups.get(id),
    async update({ id, ...group }) {
      groups.update(id, group);
    },
    async delete(id) {
      groups.delete(id);
    },
    members: async (group, slice) => ({
      members: users
        .find({ where: (user) => isIn(group, user), orderBy: ({ username }) => usernameKey(username), ...slice })
        .map(({ id, username, displayName, avatarUrl, createdAt }) => ({
          user: { id, username, displayName, avatarUrl },
          addedAt: memberships.get([group.id, id])?.addedAt ?? createdAt,
        })),
      total: users.count((user) => isIn(group, user)),
    }),
    addMember: async (groupId, userId, addedAt) => memberships.insert({ groupId, userId, addedAt }),
    removeMember: async (groupId, userId) => memberships.delete([groupId, userId]),
    hasAdministrator: async (groupId, beyond) =>
      users
        .find({ where: ({ id }) => memberships.get([groupId, id]) !== undefined && id !== beyond?.except })
        .some(
          (user) =>
            user.isAdmin ||
            (beyond !== undefined &&
              (beyond.ids.includes(user.id) ||
                ordered().some((group) => group.role === 'instance_admin' && isIn(group, user)))),
        ),
    async ofUser(userId) {
      const user = users.get(userId);
      return user === undefined ? [] : ordered().filter((group) => isIn(group, user));
    },
  } satisfies GroupStore;
}
