// The store of repositories in memory.
import { publicUsers, type MemoryDatabase } from 'hexforge/plugin';
import {
  longestDescent,
  mayRead,
  nameKey,
  uniques,
  type OwnCounts,
  type Reader,
  type PublicRepositoryRow,
  type Repository,
  type RepositorySort,
  type RepositoryStore,
} from 'hexforge/repositories';
import { broughtRows, collaboratorRows, markRows } from '../tables.ts';

type Row = Omit<Repository, 'owner'> & {
  readonly parentId?: string | undefined;
  readonly pruneAt?: Date | undefined;
  readonly bytes?: number;
};

const orders = {
  updated: { desc: 'updatedAt' },
  created: { desc: 'createdAt' },
  name: ({ name }: Row) => nameKey(name),
} as const satisfies Record<RepositorySort, unknown>;

export function memoryRepositoryStore(database: MemoryDatabase): RepositoryStore {
  const rows = database.table<Row>('repositories_repository', {
    key: 'id',
    uniques: {
      [uniques.name]: ({ ownerId, name }) => [ownerId, nameKey(name)],
      [uniques.issueCode]: ({ ownerId, issueCode }) => (issueCode === '' ? undefined : [ownerId, issueCode]),
    },
    references: {
      ownerId: { table: 'identity_user', onDelete: 'restrict' },
      parentId: { table: 'repositories_repository', onDelete: 'set null' },
    },
  });
  const collaborators = collaboratorRows.memory(database).table;
  const [stars, watches] = [markRows.star.memory(database).table, markRows.watch.memory(database).table];
  const brought = broughtRows.memory(database).table;
  /** Bytes copied to others for requests of the user, minus bytes copied to the user for requests of others. */
  const broughtBy = (id: string): number =>
    brought.find({}).reduce((sum, { userId, repositoryId, bytes }) => {
      const ownerId = rows.get(repositoryId)?.ownerId;
      if (ownerId === userId || (userId !== id && ownerId !== id)) return sum;
      return userId === id ? sum + bytes : sum - bytes;
    }, 0);
  /** Joins rows with their owners. */
  const entities = (found: readonly (Row | undefined)[]): Repository[] => {
    const users = publicUsers(database);
    return found
      .filter((row) => row !== undefined)
      .flatMap(({ parentId: _parent, pruneAt: _plan, bytes: _bytes, ...record }) => {
        const owner = users.get(record.ownerId);
        return owner === undefined ? [] : [{ ...record, owner: owner.username }];
      });
  };
  const ownerNamed = (username: string): string | undefined =>
    publicUsers(database)
      .values()
      .find((user) => nameKey(user.username) === nameKey(username))?.id;
  /** The root of a fork's chain of parents. */
  const rootOf = (row: Row | undefined): Row | undefined => {
    let root = row;
    for (let depth = 0; depth < longestDescent; depth += 1) root = rows.get(root?.parentId ?? '') ?? root;
    return root;
  };
  const named = (ownerId: string | undefined, name: string): Row | undefined =>
    rows.findOne((row) => row.ownerId === ownerId && nameKey(row.name) === nameKey(name));
  const collaboration = (id: string, userId: string | undefined) =>
    userId === undefined ? undefined : collaborators.get([id, userId]);
  const readerWith = (id: string | undefined): Reader =>
    id === undefined ? { kind: 'anonymous' } : { kind: 'user', id, isAdmin: false };
  const ownCounts = (id: string, userId: string | undefined): OwnCounts => ({
    stars: stars.count({ repositoryId: id }),
    watchers: watches.count({ repositoryId: id }),
    forks: rows.count((row) => row.parentId === id && mayRead(row, collaboration(row.id, userId), readerWith(userId))),
    starred: userId !== undefined && stars.get([id, userId]) !== undefined,
    watching: userId !== undefined && watches.get([id, userId]) !== undefined,
  });

  database.publish<PublicRepositoryRow>('repositories_public_repository', () =>
    entities(rows.all()).map(({ id, ownerId, owner, name, visibility, defaultBranch, issueCode }) => ({
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
    async standing(owner, name, userId, counted) {
      const [repository] = entities([named(ownerNamed(owner), name)]);
      if (repository === undefined) return undefined;
      const given = collaboration(repository.id, userId);
      return {
        repository,
        collaboration: given && { role: given.role, permissions: given.permissions },
        ...(counted && { counts: ownCounts(repository.id, userId) }),
      };
    },
    byId: async (id) => entities([rows.get(id)])[0],
    async readers(id, userIds) {
      const row = rows.get(id);
      const reads = (userId: string): boolean =>
        row !== undefined && mayRead(row, collaboration(id, userId), readerWith(userId));
      const users = publicUsers(database);
      return userIds.filter((userId) => users.has(userId) && reads(userId));
    },
    parentOf: async (id) => entities([rows.get(rows.get(id)?.parentId ?? '')])[0],
    async network(id, owner) {
      const [root, ownerId] = [rootOf(rows.get(id)), ownerNamed(owner)];
      const where = (row: Row): boolean => row.ownerId === ownerId && rootOf(row)?.id === root?.id;
      return entities(root === undefined ? [] : rows.find({ where, orderBy: 'createdAt' }));
    },
    idByName: async (ownerId, name) => named(ownerId, name)?.id,
    async list({ reader, ownerId, owner, parentId, ids, involving, visibility, words, sort, limit, offset = 0 }) {
      const namedId = owner === undefined ? undefined : ownerNamed(owner);
      const users = publicUsers(database);
      const involves = (id: string, userId: string): boolean =>
        rows.get(id)?.ownerId === userId ||
        collaborators.get([id, userId]) !== undefined ||
        watches.get([id, userId]) !== undefined;
      const has = ({ ownerId: id, name, description }: Row, word: string): boolean => {
        const path = `${users.get(id)?.username ?? ''}/${name}`;
        return `${nameKey(path)} ${description.toLowerCase()}`.includes(word.toLowerCase());
      };
      const where = (row: Row): boolean =>
        (ownerId === undefined || row.ownerId === ownerId) &&
        (owner === undefined || row.ownerId === namedId) &&
        (parentId === undefined || row.parentId === parentId) &&
        (ids === undefined || ids.includes(row.id)) &&
        (involving === undefined || involves(row.id, involving)) &&
        (visibility === undefined || row.visibility === visibility) &&
        (words ?? []).every((word) => has(row, word)) &&
        mayRead(row, collaboration(row.id, reader.kind === 'user' ? reader.id : undefined), reader);
      return entities(rows.find({ where, orderBy: orders[sort ?? 'updated'], limit, offset }));
    },
    readableIds: async (reader, limit) =>
      rows
        .find({
          where: (row) => mayRead(row, collaboration(row.id, reader.kind === 'user' ? reader.id : undefined), reader),
          limit,
        })
        .map(({ id }) => id),
    async named(paths) {
      const wanted = new Set(paths.map(nameKey));
      return entities(rows.all()).filter(({ owner, name }) => wanted.has(nameKey(`${owner}/${name}`)));
    },
    all: async (after = '', limit) => entities(rows.find({ where: ({ id }) => id > after, orderBy: 'id', limit })),
    ownCounts: async (ids, userId) => new Map(ids.map((id) => [id, ownCounts(id, userId)])),
    known: async (ids) => new Set(ids.filter((id) => rows.get(id) !== undefined)),
    countByOwner: async (userIds) =>
      new Map(userIds.map((id) => [id, rows.count({ ownerId: id })] as const).filter(([, owned]) => owned > 0)),
    owned: async (userId) => {
      const own = rows.find({ where: { ownerId: userId } });
      return {
        repositories: own.length,
        forks: own.filter(({ parentId }) => parentId !== undefined).length,
        bytes: Math.max(0, own.reduce((sum, { bytes = 0 }) => sum + bytes, 0) + broughtBy(userId)),
      };
    },
    async resize(id, how) {
      rows.update(id, { bytes: 'to' in how ? how.to : (rows.get(id)?.bytes ?? 0) + how.by });
    },
    insert: async ({ owner: _owner, ...row }, parentId) => rows.insert({ ...row, parentId }),
    update: async (id, patch) => rows.update(id, patch),
    async planPrune(id, at, how) {
      const planned = rows.get(id)?.pruneAt;
      if (planned === undefined || (how === 'sooner' && planned > at)) rows.update(id, { pruneAt: at });
    },
    duePrunes: async ({ now, idleSince, limit }) =>
      rows
        .find({
          where: ({ pruneAt, updatedAt }) => pruneAt !== undefined && pruneAt <= now && updatedAt < idleSince,
          orderBy: 'pruneAt',
          limit,
        })
        .flatMap(({ id, pruneAt, updatedAt }) =>
          pruneAt === undefined ? [] : [{ repositoryId: id, pruneAt, updatedAt }],
        ),
    replanPrune: async (id, { pruneAt, updatedAt }, next) =>
      rows.findOne({ id, pruneAt, ...(updatedAt !== undefined && { updatedAt }) }) !== undefined &&
      rows.update(id, { pruneAt: next }),
    delete: async (id) => rows.delete(id),
  } satisfies RepositoryStore;
}
