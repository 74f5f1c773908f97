// Merge requests counted for other areas, each for a batch in one query, on PostgreSQL.
import type { MergeStore } from 'hexforge/merges';
import type { Kysely } from 'hexforge/plugin';
import type { MergesRows } from '../tables.ts';

export const sqlCounts = (db: () => Kysely<MergesRows>): Pick<MergeStore, 'countByUser' | 'countOpen'> => ({
  async countByUser(userIds) {
    if (userIds.length === 0) return new Map();
    const opened = db().selectFrom('merges_request').select('author_id as user_id').where('author_id', 'in', userIds);
    const merged = db()
      .selectFrom('merges_request')
      .select(({ ref }) => ref('merged_by_id').$notNull().as('user_id'))
      .where('merged_by_id', 'in', userIds);
    const reviewed = db().selectFrom('merges_review').select('user_id').where('user_id', 'in', userIds);
    const commented = db()
      .selectFrom('merges_comment')
      .select('author_id as user_id')
      .where('author_id', 'in', userIds);
    const rows = await db()
      .selectFrom(opened.unionAll(merged).unionAll(reviewed).unionAll(commented).as('p'))
      .select(({ fn }) => ['p.user_id', fn.countAll<number>().as('parts')])
      .groupBy('p.user_id')
      .execute();
    return new Map(rows.map(({ user_id, parts }) => [user_id, parts]));
  },

  async countOpen(repositoryIds) {
    if (repositoryIds.length === 0) return new Map();
    const rows = await db()
      .selectFrom('merges_request')
      .select(({ fn }) => ['repository_id', fn.countAll<number>().as('open')])
      .where('repository_id', 'in', repositoryIds)
      .where('state', '=', 'open')
      .groupBy('repository_id')
      .execute();
    return new Map(rows.map(({ repository_id, open }) => [repository_id, open]));
  },
});
