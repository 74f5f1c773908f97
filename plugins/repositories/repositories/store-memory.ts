// The store in memory, for tests and for a forge that keeps nothing.
import type { MemoryDatabase } from 'hexforge/plugin';
import type { PublicUserRow } from 'hexforge/identity';
import {
  isRole,
  nameKey,
  uniques,
  type Collaboration,
  type PeopleCounts,
  type PublicRepositoryRow,
  type Repository,
  type RepositoryFilter,
  type RepositoryStore,
} from 'hexforge/repositories';
import { collaboratorTable } from '../collaborators/store-memory.ts';
import { memoryProtectionStore } from '../protection/store-memory.ts';
import { roleTemplateTable } from '../role-templates/store-memory.ts';
import { markTable } from '../stars/store-memory.ts';

type Row = Omit<Repository, 'owner'>;

export function memoryRepositoryStore(database: MemoryDatabase): RepositoryStore {
  const rows = database.table<Row>('repositories_repository', {
    key: ({ id }) => id,
    uniques: {
      [uniques.name]: ({ ownerId, name }) => `${ownerId}/${nameKey(name)}`,
      [uniques.issueCode]: ({ ownerId, issueCode }) => (issueCode === '' ? undefined : `${ownerId}/${issueCode}`),
    },
  });
  const plans = database.table<{ readonly id: string; readonly pruneAt: Date }>('repositories_prune', {
    key: ({ id }) => id,
  });
  const forks = database.table<{ readonly id: string; readonly parentId: string }>('repositories_fork', {
    key: ({ id }) => id,
  });
  const collaborators = collaboratorTable(database);
  const stars = markTable(database, 'star');
  const watches = markTable(database, 'watch');
  const collaboration = (id: string, userId: string | undefined): Collaboration | undefined =>
    userId === undefined ? undefined : collaborators.get(`${id}/${userId}`);
  const peopleCounts = (id: string, userId: string | undefined): PeopleCounts => ({
    stars: stars.all().filter(({ repositoryId }) => repositoryId === id).length,
    watchers: watches.all().filter(({ repositoryId }) => repositoryId === id).length,
    forks: forks.all().filter(({ parentId }) => parentId === id).length,
    starred: userId !== undefined && stars.get(`${id}/${userId}`) !== undefined,
    watching: userId !== undefined && watches.get(`${id}/${userId}`) !== undefined,
  });
  const templates = roleTemplateTable(database);
  const protections = memoryProtectionStore(database);
  const owners = (): ReadonlyMap<string, PublicUserRow> =>
    new Map(database.published<PublicUserRow>('identity_public_user').map((user) => [user.id, user]));
  const joined = (): Repository[] => {
    const users = owners();
    return rows.all().flatMap((row) => {
      const owner = users.get(row.ownerId);
      return owner === undefined ? [] : [{ ...row, owner: owner.username }];
    });
  };
  const readable = ({ id, visibility, ownerId }: Repository, reader: RepositoryFilter['reader']): boolean => {
    if (visibility === 'public') return true;
    if (reader.kind === 'anonymous') return false;
    if (reader.isAdmin || visibility === 'internal' || ownerId === reader.id) return true;
    const given = collaboration(id, reader.id);
    return given !== undefined && (isRole(given.role) || given.permissions.includes('repo.read'));
  };

  database.publish<PublicRepositoryRow>('repositories_public_repository', () =>
    joined().map(({ id, ownerId, owner, name, visibility, defaultBranch, issueCode }) => ({
      id,
      owner_id: ownerId,
      owner,
      name,
      name_key: nameKey(name),
      visibility,
      default_branch: defaultBranch,
      issue_code: issueCode,
    })),
  );

  return {
    async standing(owner, name, userId, counted = false) {
      const repository = joined().find(
        (row) => nameKey(row.owner) === nameKey(owner) && nameKey(row.name) === nameKey(name),
      );
      if (repository === undefined) return undefined;
      const given = collaboration(repository.id, userId);
      return {
        repository,
        collaboration: given && { role: given.role, permissions: given.permissions },
        ...(counted && { peopleCounts: peopleCounts(repository.id, userId) }),
      };
    },
    async byId(id) {
      return joined().find((row) => row.id === id);
    },
    async parentOf(id) {
      const parentId = forks.get(id)?.parentId;
      return parentId === undefined ? undefined : joined().find((row) => row.id === parentId);
    },
    async idByName(ownerId, name) {
      return rows.all().find((row) => row.ownerId === ownerId && nameKey(row.name) === nameKey(name))?.id;
    },
    async list({ reader, ownerId, owner, parentId, limit, offset = 0 }) {
      return joined()
        .filter((row) => parentId === undefined || forks.get(row.id)?.parentId === parentId)
        .filter(
          (row) =>
            (ownerId === undefined || row.ownerId === ownerId) &&
            (owner === undefined || nameKey(row.owner) === nameKey(owner)) &&
            readable(row, reader),
        )
        .sort((a, b) => b.updatedAt.getTime() - a.updatedAt.getTime() || (a.id < b.id ? -1 : 1))
        .slice(offset, offset + limit);
    },
    peopleCounts: async (ids, userId) => new Map(ids.map((id) => [id, peopleCounts(id, userId)])),
    async countByOwner(userIds) {
      return new Map(
        Map.groupBy(
          rows.all().filter(({ ownerId }) => userIds.includes(ownerId)),
          ({ ownerId }) => ownerId,
        )
          .entries()
          .map(([id, owned]) => [id, owned.length]),
      );
    },
    async insert({ owner: _, ...row }, parentId) {
      if (!owners().has(row.ownerId)) throw new Error(`there is no user "${row.ownerId}" to own the repository`);
      rows.insert(row);
      if (parentId !== undefined) forks.insert({ id: row.id, parentId });
    },
    async update(id, patch) {
      if (rows.get(id) === undefined) return false;
      rows.update(id, patch);
      return true;
    },
    async planPrune(id, at) {
      if (rows.get(id) !== undefined && plans.get(id) === undefined) plans.insert({ id, pruneAt: at });
    },
    async duePrunes({ now, idleSince, limit }) {
      return plans
        .all()
        .flatMap(({ id, pruneAt }) =>
          rows
            .all()
            .filter((row) => row.id === id)
            .map(({ updatedAt }) => ({ repositoryId: id, pruneAt, updatedAt })),
        )
        .filter(({ pruneAt, updatedAt }) => pruneAt <= now && updatedAt < idleSince)
        .sort((a, b) => a.pruneAt.getTime() - b.pruneAt.getTime() || (a.repositoryId < b.repositoryId ? -1 : 1))
        .slice(0, limit);
    },
    async replanPrune(id, { pruneAt, updatedAt }, next) {
      if (plans.get(id)?.pruneAt.getTime() !== pruneAt.getTime()) return false;
      if (updatedAt !== undefined && rows.get(id)?.updatedAt.getTime() !== updatedAt.getTime()) return false;
      if (next === undefined) plans.delete(id);
      else plans.update(id, { pruneAt: next });
      return true;
    },
    async delete(id) {
      plans.delete(id);
      for (const table of [collaborators, stars, watches])
        for (const { repositoryId, userId } of table.all())
          if (repositoryId === id) table.delete(`${repositoryId}/${userId}`);
      for (const row of templates.all()) if (row.repositoryId === id) templates.delete(row.id);
      for (const fork of forks.all()) if (fork.id === id || fork.parentId === id) forks.delete(fork.id);
      protections.forget(id);
      return rows.delete(id);
    },
  } satisfies RepositoryStore;
}
