// Counts issues in PostgreSQL for other areas, with one query per batch of ids.
import { countEach, type Kysely } from 'hexforge/plugin';
import type { IssueStore } from 'hexforge/issues';
import type { IssuesRows } from '../tables.ts';

const byAuthor = countEach<IssuesRows>((db, ids) => {
  const issues = db.selectFrom('issues_issue').select('author_id as id').where('author_id', '=', ids);
  const comments = db.selectFrom('issues_comment').select('author_id as id').where('author_id', '=', ids);
  const edits = db.selectFrom('issues_description_edit').select('edited_by as id').where('edited_by', '=', ids);
  return issues.unionAll(comments).unionAll(edits);
});

const open = countEach<IssuesRows>((db, ids) =>
  db
    .selectFrom('issues_issue')
    .select('repository_id as id')
    .where('repository_id', '=', ids)
    .where('state', '=', 'open'),
);

export const sqlCounts = (
  db: () => Kysely<IssuesRows>,
): Pick<IssueStore, 'countByAuthor' | 'countOpen' | 'countByMilestone'> => ({
  countByAuthor: (userIds) => byAuthor(db(), userIds),
  countOpen: (repositoryIds) => open(db(), repositoryIds),
  async countByMilestone(repositoryId, milestoneIds) {
    if (milestoneIds.length === 0) return new Map();
    const rows = await db()
      .selectFrom('issues_issue')
      .select(({ fn, ref }) => [
        ref('milestone_id').$notNull().as('id'),
        fn.countAll<number>().filterWhere('state', '=', 'open').as('open'),
        fn.countAll<number>().filterWhere('state', '=', 'closed').as('closed'),
      ])
      .where('repository_id', '=', repositoryId)
      .where('milestone_id', 'in', milestoneIds)
      .groupBy('milestone_id')
      .execute();
    return new Map(rows.map(({ id, ...counts }) => [id, counts]));
  },
});
