// Issues counted for other areas, each for a batch in one query, on PostgreSQL.
import type { Kysely } from 'hexforge/plugin';
import type { IssueStore } from 'hexforge/issues';
import type { IssuesRows } from '../tables.ts';

export const sqlCounts = (
  db: () => Kysely<IssuesRows>,
): Pick<IssueStore, 'countByAuthor' | 'countOpen' | 'countByMilestone'> => ({
  async countByAuthor(userIds) {
    if (userIds.length === 0) return new Map();
    const issues = db().selectFrom('issues_issue').select('author_id').where('author_id', 'in', userIds);
    const comments = db().selectFrom('issues_comment').select('author_id').where('author_id', 'in', userIds);
    const edits = db()
      .selectFrom('issues_description_edit')
      .select('edited_by as author_id')
      .where('edited_by', 'in', userIds);
    const rows = await db()
      .selectFrom(issues.unionAll(comments).unionAll(edits).as('w'))
      .select(({ fn }) => ['w.author_id', fn.countAll<number>().as('written')])
      .groupBy('w.author_id')
      .execute();
    return new Map(rows.map(({ author_id, written }) => [author_id, written]));
  },
  async countOpen(repositoryIds) {
    if (repositoryIds.length === 0) return new Map();
    const rows = await db()
      .selectFrom('issues_issue')
      .select(({ fn }) => ['repository_id', fn.countAll<number>().as('open')])
      .where('repository_id', 'in', repositoryIds)
      .where('state', '=', 'open')
      .groupBy('repository_id')
      .execute();
    return new Map(rows.map(({ repository_id, open }) => [repository_id, open]));
  },
  async countByMilestone(repositoryId, milestoneIds) {
    if (milestoneIds.length === 0) return new Map();
    const rows = await db()
      .selectFrom('issues_issue')
      .select(({ fn }) => [
        'milestone_id',
        fn.countAll<number>().filterWhere('state', '=', 'open').as('open'),
        fn.countAll<number>().filterWhere('state', '=', 'closed').as('closed'),
      ])
      .where('repository_id', '=', repositoryId)
      .where('milestone_id', 'in', milestoneIds)
      .groupBy('milestone_id')
      .execute();
    return new Map(
      rows.flatMap(({ milestone_id: id, open, closed }) => (id === null ? [] : [[id, { open, closed }] as const])),
    );
  },
});
