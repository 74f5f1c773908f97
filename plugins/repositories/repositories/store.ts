// The store of repositories in PostgreSQL: one query per read, entities for writes.
import { columnsOf, compiledRead, countEach, nesting, rawSql, type Kysely, type SqlDatabase } from 'hexforge/plugin';
import {
  longestDescent,
  nameKey,
  type CountView,
  type Reader,
  type RepositorySort,
  type RepositoryStore,
} from 'hexforge/repositories';
import { RepositoryTable, type RepositoriesRows } from '../tables.ts';
import { countColumns, foundCounts, ownCounts, viewColumns } from './counts.ts';

const all = rawSql.table<RepositoriesRows['repositories_repository']>('repositories_repository');

/** The rows that the reader may read. */
function readableBy(reader: Reader): typeof all {
  if (reader.kind === 'anonymous') return rawSql`repositories_readable_by(null)`;
  return reader.isAdmin ? all : rawSql`repositories_readable_by(${reader.id}::uuid)`;
}

/** Members for look-ups and upkeep alone. */
const hidden = { except: ['nameKey', 'parentId', 'pruneAt', 'bytes'] } as const;

const owned = (db: Kysely<RepositoriesRows>, from = all) =>
  db.selectFrom(from.as('r')).innerJoin('identity_public_user as u', 'u.id', 'r.owner_id');

const repositories = (db: Kysely<RepositoriesRows>, from = all) =>
  owned(db, from)
    .select(columnsOf(RepositoryTable, 'r', hidden))
    .select('u.username as owner');

/** In the order of bytes, so that it is the same on every server. */
const orders = {
  updated: rawSql`r.updated_at desc`,
  created: rawSql`r.created_at desc`,
  name: rawSql`r.name_key collate "C"`,
} as const satisfies Record<RepositorySort, unknown>;

/** The text that is searched. */
const searched = rawSql`u.username_key || '/' || r.name_key || ' ' || lower(r.description)`;

/** A query for the ids of the repositories that the user owns, collaborates on or watches; each part has an index. */
const involved = (userId: string) => rawSql<string>`(
  select id from repositories_repository where owner_id = ${userId}::uuid
  union select repository_id from repositories_collaborator where user_id = ${userId}::uuid
  union select repository_id from repositories_watch where user_id = ${userId}::uuid
)`;

/** A query for the root of a repository's chain of parents. */
const rootsOf = (id: ReturnType<typeof rawSql>) => rawSql`(
  with recursive up as (
    select p.id, p.parent_id, 0 as depth from repositories_repository p where p.id = ${id}
    union all
    select p.id, p.parent_id, up.depth + 1 from up
      join repositories_repository p on p.id = up.parent_id where up.depth < ${longestDescent}
  )
  select id from up order by depth desc limit 1
)`;

interface StandingValues {
  readonly owner: string;
  readonly name: string;
  readonly userId: string | undefined;
}

/** The first read of every request for something in a repository. */
const standingQuery =
  (counted?: readonly CountView[]) =>
  (db: Kysely<RepositoriesRows>, { owner, name, userId }: StandingValues) =>
    owned(db)
      .select(columnsOf(RepositoryTable, 'r', { ...hidden, under: 'repository' }))
      .select('u.username as repository.owner')
      // A null user id matches no row.
      .leftJoin('repositories_collaborator as c', (join) =>
        join.onRef('c.repository_id', '=', 'r.id').on('c.user_id', '=', rawSql<string>`${userId ?? null}::uuid`),
      )
      .select(['c.role', 'c.permissions'])
      .where('u.username_key', '=', owner)
      .where('r.name_key', '=', name)
      .$if(counted !== undefined, (query) => query.select(countColumns(userId)).select(viewColumns(counted ?? [])));

function standingRead(counted?: readonly CountView[]) {
  const query = standingQuery(counted);
  const read = compiledRead(['owner', 'name', 'userId'], query);
  const joined = nesting<typeof query>();
  return async (db: Kysely<RepositoriesRows>, values: StandingValues) => {
    const [row] = await read(db, values);
    return row && joined(row);
  };
}

const ownedBy = countEach<RepositoriesRows>((db, ids) =>
  db.selectFrom('repositories_repository').select('owner_id as id').where('owner_id', '=', ids),
);

export function sqlRepositoryStore(database: SqlDatabase): RepositoryStore {
  const db = (): Kysely<RepositoriesRows> => database.kysely<RepositoriesRows>();
  const standing = standingRead();
  /** The compiled read by list of views. Callers always pass the same list object, so each is compiled once. */
  const countedBy = new WeakMap<readonly CountView[], typeof standing>();
  const standingWith = (views: readonly CountView[] | undefined): typeof standing => {
    if (views === undefined) return standing;
    const read = countedBy.get(views) ?? standingRead(views);
    countedBy.set(views, read);
    return read;
  };
  return {
    async standing(owner, name, userId, counted) {
      const values = { owner: nameKey(owner), name: nameKey(name), userId };
      const row = await standingWith(counted)(db(), values);
      if (row === undefined) return undefined;
      return {
        repository: row.repository,
        collaboration: row.role === null ? undefined : { role: row.role, permissions: row.permissions ?? [] },
        ...(counted && { counts: foundCounts(counted, row) }),
      };
    },

    byId: (id) => repositories(db()).where('r.id', '=', id).executeTakeFirst(),

    async readers(id, userIds) {
      const { rows } = await rawSql<{ readonly id: string }>`
        select u.id from identity_public_user u
        where u.id = any(${userIds}::uuid[]) and repositories_readable(u.id, ${id}::uuid)
      `.execute(db());
      return rows.map((row) => row.id);
    },

    parentOf: (id) =>
      repositories(db())
        .innerJoin('repositories_repository as f', 'f.parent_id', 'r.id')
        .where('f.id', '=', id)
        .executeTakeFirst(),

    // Both queries follow parents only, because a repository may have any number of forks.
    network: (id, owner) =>
      repositories(db())
        .where('u.username_key', '=', nameKey(owner))
        .where(rawSql<boolean>`exists (${rootsOf(rawSql`r.id`)} intersect ${rootsOf(rawSql`${id}::uuid`)})`)
        .orderBy('r.created_at')
        .orderBy('r.id')
        .execute(),

    async idByName(ownerId, name) {
      const row = await db()
        .selectFrom('repositories_repository')
        .select('id')
        .where('owner_id', '=', ownerId)
        .where('name_key', '=', nameKey(name))
        .executeTakeFirst();
      return row?.id;
    },

    async list({ reader, ownerId, owner, parentId, ids, involving, visibility, words, sort, limit, offset }) {
      let query = repositories(db(), readableBy(reader))
        .orderBy(orders[sort ?? 'updated'])
        .orderBy('r.id');
      if (parentId !== undefined) query = query.where('r.parent_id', '=', parentId);
      if (ownerId !== undefined) query = query.where('r.owner_id', '=', ownerId);
      if (owner !== undefined) query = query.where('u.username_key', '=', nameKey(owner));
      if (ids !== undefined) query = query.where('r.id', '=', rawSql<string>`any(${ids}::uuid[])`);
      if (involving !== undefined) query = query.where('r.id', 'in', involved(involving));
      if (visibility !== undefined) query = query.where('r.visibility', '=', visibility);
      for (const word of words ?? [])
        query = query.where(rawSql<boolean>`strpos(${searched}, ${word.toLowerCase()}) > 0`);
      // A query with an unknown limit is planned on every run, which takes a third of its time. Lists have few
      // different limits, so these are literals. Pages have many sizes, and a literal would make each a separate
      // prepared statement.
      query =
        offset === undefined && ids === undefined
          ? query.limit(rawSql.lit(limit))
          : query.limit(limit).offset(offset ?? 0);
      return query.execute();
    },

    async readableIds(reader, limit) {
      const rows = await db().selectFrom(readableBy(reader).as('r')).select('r.id').limit(limit).execute();
      return rows.map(({ id }) => id);
    },

    async named(paths) {
      if (paths.length === 0) return [];
      const wanted = paths.map((path) => {
        const slash = path.indexOf('/');
        return { owner: nameKey(path.slice(0, Math.max(slash, 0))), name: nameKey(path.slice(slash + 1)) };
      });
      const pair = rawSql<boolean>`exists (
        select from unnest(${wanted.map(({ owner }) => owner)}::text[], ${wanted.map(({ name }) => name)}::text[])
          as wanted (owner, name) where wanted.owner = u.username_key and wanted.name = r.name_key
      )`;
      // The condition on the names alone can use the index of owners.
      return repositories(db())
        .where('u.username_key', 'in', [...new Set(wanted.map(({ owner }) => owner))])
        .where(pair)
        .execute();
    },

    all: (after, limit) =>
      repositories(db())
        .$if(after !== undefined, (query) => query.where('r.id', '>', after ?? ''))
        .orderBy('r.id')
        .limit(limit)
        .execute(),

    async ownCounts(repositoryIds, userId) {
      if (repositoryIds.length === 0) return new Map();
      const rows = await db()
        .selectFrom('repositories_repository as r')
        .where('r.id', 'in', repositoryIds)
        .select('r.id')
        .select(countColumns(userId))
        .execute();
      return new Map(rows.map((row) => [row.id, ownCounts(row)]));
    },

    async known(ids) {
      const found = await db()
        .selectFrom('repositories_repository')
        .select('id')
        .where('id', '=', rawSql<string>`any(${ids}::uuid[])`)
        .execute();
      return new Set(found.map(({ id }) => id));
    },

    countByOwner: (userIds) => ownedBy(db(), userIds),

    async owned(userId, how) {
      // The lock is a separate statement, so that the count sees what earlier holders of the lock wrote.
      if (how === 'held')
        await rawSql`select pg_advisory_xact_lock(hashtextextended(${`repositories.owned ${userId}`}, 0))`.execute(
          db(),
        );
      return db()
        .selectFrom('repositories_repository')
        .select(({ fn }) => [
          fn.countAll<number>().as('repositories'),
          fn.count<number>('parent_id').as('forks'),
          // Bytes that were copied for requests count for their authors. Two sums, so that each uses an index.
          rawSql<number>`greatest(0, coalesce(sum(bytes), 0) + (
            select coalesce(sum(b.bytes), 0)
            from repositories_brought b join repositories_repository r on r.id = b.repository_id
            where b.user_id = ${userId} and r.owner_id <> ${userId}
          ) - (
            select coalesce(sum(b.bytes), 0)
            from repositories_repository r join repositories_brought b on b.repository_id = r.id
            where r.owner_id = ${userId} and b.user_id <> ${userId}
          ))::bigint`.as('bytes'),
        ])
        .where('owner_id', '=', userId)
        .executeTakeFirstOrThrow();
    },

    async resize(id, how) {
      await db()
        .updateTable('repositories_repository')
        .set({ bytes: 'to' in how ? how.to : rawSql<number>`bytes + ${how.by}` })
        .where('id', '=', id)
        .execute();
    },

    async insert({ owner: _, ...repository }, parentId) {
      await database
        .em()
        .insert(RepositoryTable, { ...repository, nameKey: nameKey(repository.name), parentId: parentId ?? null });
    },

    async update(id, patch) {
      return (
        (await database
          .em()
          .nativeUpdate(
            RepositoryTable,
            { id },
            { ...patch, ...(patch.name !== undefined && { nameKey: nameKey(patch.name) }) },
          )) > 0
      );
    },

    async planPrune(id, at, how) {
      await db()
        .updateTable('repositories_repository')
        .set({ prune_at: at })
        .where('id', '=', id)
        .where((is) =>
          how === 'sooner' ? is.or([is('prune_at', 'is', null), is('prune_at', '>', at)]) : is('prune_at', 'is', null),
        )
        .execute();
    },

    async duePrunes({ now, idleSince, limit }) {
      const rows = await db()
        .selectFrom('repositories_repository')
        .select(['id as repositoryId', 'prune_at as pruneAt', 'updated_at as updatedAt'])
        .where('prune_at', '<=', now)
        .where('updated_at', '<', idleSince)
        .orderBy('prune_at')
        .orderBy('id')
        .limit(limit)
        .execute();
      return rows.flatMap(({ pruneAt, ...row }) => (pruneAt === null ? [] : [{ ...row, pruneAt }]));
    },

    async replanPrune(id, { pruneAt, updatedAt }, next) {
      let update = db()
        .updateTable('repositories_repository')
        .set({ prune_at: next ?? null })
        .where('id', '=', id)
        .where('prune_at', '=', pruneAt);
      if (updatedAt !== undefined) update = update.where('updated_at', '=', updatedAt);
      return (await update.executeTakeFirst()).numUpdatedRows > 0n;
    },

    async delete(id) {
      return (await database.em().nativeDelete(RepositoryTable, { id })) > 0;
    },
  } satisfies RepositoryStore;
}
