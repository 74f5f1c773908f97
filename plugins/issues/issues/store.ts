// The store of issues on PostgreSQL.
import type { Kysely, SqlDatabase } from 'hexforge/plugin';
import type { IssueStore } from 'hexforge/issues';
import type { IssuesRows } from '../tables.ts';

export function sqlIssueStore(database: SqlDatabase): IssueStore {
  const db = (): Kysely<IssuesRows> => database.kysely<IssuesRows>();
  return {
    async countByAuthor(userIds) {
      if (userIds.length === 0) return new Map();
      const rows = await db()
        .selectFrom('issues_issue')
        .select(({ fn }) => ['author_id', fn.countAll<number>().as('written')])
        .where('author_id', 'in', userIds)
        .groupBy('author_id')
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
  } satisfies IssueStore;
}
