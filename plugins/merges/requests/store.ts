// The store of merge requests in PostgreSQL: one query per read, entities for writes.
import type { BranchOf, MergeStore } from 'hexforge/merges';
import { countEach, countOf, rawSql, type Kysely, type SqlDatabase } from 'hexforge/plugin';
import { requestNumbers, type MergesRows } from '../tables.ts';
import {
  assigneeIds,
  commentsCount,
  countedRow,
  directions,
  labelIds,
  listedRequests,
  listedRow,
  matching,
  mergeRow,
  pageOfRequests,
  requestColumns,
  requestOf,
  wholeRequests,
} from './query.ts';
import { requestWrites } from './writes.ts';

const byUser = countEach<MergesRows>((db, ids) => {
  const requests = () => db.selectFrom('merges_request');
  const opened = requests().select('author_id as id').where('author_id', '=', ids);
  const merged = requests()
    .select(({ ref }) => ref('merged_by_id').$notNull().as('id'))
    .where('merged_by_id', '=', ids);
  const reviewed = db.selectFrom('merges_review').select('user_id as id').where('user_id', '=', ids);
  const commented = db.selectFrom('merges_comment').select('author_id as id').where('author_id', '=', ids);
  return opened.unionAll(merged).unionAll(reviewed).unionAll(commented);
});

const open = countEach<MergesRows>((db, ids) =>
  db
    .selectFrom('merges_request')
    .select('repository_id as id')
    .where('repository_id', '=', ids)
    .where('state', '=', 'open'),
);

export function sqlMergeStore(database: SqlDatabase): MergeStore {
  const db = (): Kysely<MergesRows> => database.kysely<MergesRows>();
  const { next, holdRepository } = requestNumbers.sql(database);

  const openOnes = async (
    repository: 'm.repository_id' | 'm.source_repository_id',
    branch: 'm.target_branch' | 'm.source_branch',
    of: BranchOf,
    after: string | undefined,
    limit: number,
  ) => {
    const rows = await db()
      .selectFrom('merges_request as m')
      .select(requestColumns)
      .where(repository, '=', of.repositoryId)
      .where(branch, '=', of.branch)
      .where('m.state', '=', 'open')
      .$if(after !== undefined, (query) => query.where('m.id', '>', after ?? ''))
      .orderBy('m.id')
      .limit(limit)
      .execute();
    return rows.map(requestOf);
  };

  return {
    ...requestWrites.sql(database),

    nextNumber: next,

    async held(repositoryId, number) {
      await holdRepository(repositoryId);
      // Both statements use one connection and run in this order, so that the second one sees what earlier holders of
      // the lock wrote. `for no key update` lets concurrent transactions write rows that refer to the request.
      const own = () => matching(db(), repositoryId, {}).where('m.number', '=', number);
      const [, row] = await Promise.all([
        own().select('m.id').forNoKeyUpdate().execute(),
        own().select(requestColumns).select([labelIds, assigneeIds]).executeTakeFirst(),
      ]);
      return row && requestOf(row);
    },

    async find(repositoryId, number) {
      const row = await matching(db(), repositoryId, {})
        .select(requestColumns)
        .where('m.number', '=', number)
        .executeTakeFirst();
      return row && requestOf(row);
    },

    async byNumber(repositoryId, number) {
      const row = await wholeRequests(db())
        .where('m.repository_id', '=', repositoryId)
        .where('m.number', '=', number)
        .executeTakeFirst();
      return row && mergeRow(row);
    },

    async titles(repositoryId, numbers) {
      if (numbers.length === 0) return new Map();
      const rows = await db()
        .selectFrom('merges_request')
        .select(['number', 'title'])
        .where('repository_id', '=', repositoryId)
        .where('number', 'in', [...numbers])
        .execute();
      return new Map(rows.map(({ number, title }) => [number, title]));
    },

    async list(repositoryId, filter, slice) {
      const rows = await listedRequests(db(), pageOfRequests(matching(db(), repositoryId, filter), slice))
        .orderBy('m.number', directions[slice.order])
        .execute();
      return rows.map(listedRow);
    },

    async listWhole(repositoryId, filter, slice) {
      const rows = await wholeRequests(db(), pageOfRequests(matching(db(), repositoryId, filter), slice))
        .select([commentsCount])
        .orderBy('m.number', directions[slice.order])
        .execute();
      return rows.map(countedRow);
    },

    async openOfUser(userId, role, limit) {
      const rows = await listedRequests(db())
        .where('m.state', '=', 'open')
        .$if(role === 'author', (query) => query.where('m.author_id', '=', userId))
        .$if(role === 'reviewer', (query) =>
          query.where('m.id', 'in', (is) =>
            is
              .selectFrom('merges_review')
              .select('request_id')
              .where('user_id', '=', userId)
              .where('state', '=', 'pending'),
          ),
        )
        .orderBy('m.updated_at', 'desc')
        .orderBy('m.id')
        .limit(limit)
        .execute();
      return rows.map(listedRow);
    },

    count: (repositoryId, filter) => countOf(matching(db(), repositoryId, filter)),

    async openOf({ repositoryId, sourceRepositoryId, sourceBranch, targetBranch }) {
      if (sourceRepositoryId === undefined) return undefined;
      const row = await matching(db(), repositoryId, { state: 'open' })
        .select('m.number')
        .where('m.source_repository_id', '=', sourceRepositoryId)
        .where('m.source_branch', '=', sourceBranch)
        .where('m.target_branch', '=', targetBranch)
        .executeTakeFirst();
      return row?.number;
    },

    openFrom: (branch, after, limit) => openOnes('m.source_repository_id', 'm.source_branch', branch, after, limit),
    async openFromOthers(of, after, limit) {
      const rows = await db()
        .selectFrom('merges_request as m')
        .select(requestColumns)
        .where('m.state', '=', 'open')
        .where('m.source_loss', 'is', null)
        .whereRef('m.source_repository_id', '!=', 'm.repository_id')
        .where(({ eb, or }) =>
          'userId' in of
            ? or([eb('m.author_id', '=', of.userId), eb('m.reopened_by_id', '=', of.userId)])
            : 'repositoryId' in of
              ? eb('m.repository_id', '=', of.repositoryId)
              : eb('m.source_repository_id', '=', of.sourceRepositoryId),
        )
        .$if(after !== undefined, (query) => query.where('m.id', '>', after ?? ''))
        .orderBy('m.id')
        .limit(limit)
        .execute();
      return rows.map(requestOf);
    },
    async openFromForks(repositoryId, after, limit) {
      const rows = await matching(db(), repositoryId, { state: 'open' })
        .select(requestColumns)
        .where(({ eb, or, ref }) =>
          or([eb('m.source_repository_id', 'is', null), eb('m.source_repository_id', '!=', ref('m.repository_id'))]),
        )
        .$if(after !== undefined, (query) => query.where('m.id', '>', after ?? ''))
        .orderBy('m.id')
        .limit(limit)
        .execute();
      return rows.map(requestOf);
    },
    async openIntoAny(repositoryId, branches, limit) {
      const rows = await db()
        .selectFrom('merges_request as m')
        .select(requestColumns)
        .where('m.repository_id', '=', repositoryId)
        .where('m.target_branch', '=', rawSql<string>`any(${branches}::text[])`)
        .where('m.state', '=', 'open')
        .orderBy('m.id')
        .limit(limit)
        .execute();
      return rows.map(requestOf);
    },
    countOpenFrom: ({ repositoryId, branch }, authorId) =>
      countOf(
        db()
          .selectFrom('merges_request as m')
          .where('m.source_repository_id', '=', repositoryId)
          .where('m.source_branch', '=', branch)
          .where('m.state', '=', 'open')
          .where('m.author_id', '=', authorId),
      ),
    openInto: (branch, after, limit) => openOnes('m.repository_id', 'm.target_branch', branch, after, limit),

    countByUser: (userIds) => byUser(db(), userIds),
    countOpen: (repositoryIds) => open(db(), repositoryIds),
  } satisfies MergeStore;
}
