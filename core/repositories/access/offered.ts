// Implements the port `Repositories`: the records, readers and permission holders of repositories for other areas.
import type { Repositories } from '../model/offers.ts';
import { readerOf } from './readable.ts';
import type { RepositoryParts } from '../model/parts.ts';
import { lateRoleTable } from '../model/roles.ts';
import { nameKey } from '../model/repository.ts';
import { standing } from './standing.ts';

type Parts = Pick<RepositoryParts, 'store' | 'collaborators' | 'protections' | 'users' | 'permissionTable'>;

export function offeredRepositories({
  store,
  collaborators,
  protections,
  users,
  permissionTable,
}: Parts): Repositories {
  const table = lateRoleTable(permissionTable);
  return {
    byId: (id) => store.byId(id),

    async readers(repositoryId, userIds) {
      if (userIds.length === 0) return new Set();
      const [readers, administrators] = await Promise.all([
        store.readers(repositoryId, userIds),
        users.administrators(userIds),
      ]);
      return new Set([...readers, ...administrators]);
    },

    async holders(repositoryId, permission, userIds) {
      if (userIds.length === 0) return new Set();
      const [repository, collaborations, administrators, active] = await Promise.all([
        store.byId(repositoryId),
        collaborators.among(repositoryId, userIds),
        users.administrators(userIds),
        users.active(userIds),
      ]);
      if (repository === undefined) return new Set();
      const holds = (id: string): boolean => {
        const user = { kind: 'user', id, isAdmin: administrators.has(id) } as const;
        return standing({ repository, collaboration: collaborations.get(id) }, user, table()).may(permission);
      };
      return new Set(userIds.filter((id) => active.has(id) && holds(id)));
    },

    async readable(caller, ids) {
      if (ids.length === 0) return new Map();
      const found = await store.list({ reader: readerOf(caller), ids, limit: ids.length });
      return new Map(found.map((repository) => [repository.id, repository]));
    },

    readableIds: (caller, most) => store.readableIds(readerOf(caller), most + 1),

    lacking: async (caller, permission) =>
      caller.kind === 'user' && !caller.isAdmin ? collaborators.lacking(caller.id, permission) : [],

    async named(paths) {
      const found = await store.named(paths);
      return new Map(found.map((repository) => [nameKey(`${repository.owner}/${repository.name}`), repository]));
    },

    matching: (caller, words, limit) => store.list({ reader: readerOf(caller), words, limit }),

    all: (after, limit) => store.all(after, limit),

    protections: (repositoryId) => protections.all(repositoryId),
  } satisfies Repositories;
}
