// Counts merge requests in PostgreSQL for other areas, with one query per batch of ids.
import type { MergeStore } from 'hexforge/merges';
import { countEach, type Kysely } from 'hexforge/plugin';
import type { MergesRows } from '../tables.ts';

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

export const sqlCounts = (db: () => Kysely<MergesRows>): Pick<MergeStore, 'countByUser' | 'countOpen'> => ({
  countByUser: (userIds) => byUser(db(), userIds),
  countOpen: (repositoryIds) => open(db(), repositoryIds),
});
