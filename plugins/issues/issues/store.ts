// The store of issues in PostgreSQL: one query per read, entities for writes.
import { countOf, type Kysely, rawSql, type SqlDatabase } from 'hexforge/plugin';
import { plainWords, type IssueStore } from 'hexforge/issues';
import { issueNumbers, IssueTable, type IssuesRows } from '../tables.ts';
import { sqlCounts } from './counts.ts';
import { sqlLineage } from './lineage.ts';
import { directions, issueColumns, issueRow, labelIds, matching, pageOfIssues, wholeIssues } from './query.ts';
import { issueWrites } from './writes.ts';

const assigneeIds = rawSql<readonly string[]>`array(
  select s.user_id::text from issues_assignee s where s.issue_id = i.id
)`.as('assigneeIds');

/**
 * The searchable forms of texts, normalized in the same way as queries. In SQL, letters and lower case would depend on
 * the locale of the database, and could differ from the query.
 */
const searched = {
  title: (title: string) => ({ titleKey: title.toLowerCase(), titleWords: plainWords(title) }),
  description: (description: string) => ({ descriptionWords: plainWords(description) }),
} as const;

export function sqlIssueStore(database: SqlDatabase): IssueStore {
  const db = (): Kysely<IssuesRows> => database.kysely<IssuesRows>();
  const { next, hold, holdRepository } = issueNumbers.sql(database);
  return {
    ...sqlCounts(db),
    ...sqlLineage(db),
    ...issueWrites.sql(database),

    nextNumber: next,
    holdHierarchy: hold,

    async insert(issue) {
      const { title, description } = issue;
      await database
        .em()
        .insert(IssueTable, { ...issue, ...searched.title(title), ...searched.description(description) });
    },

    async held(repositoryId, number) {
      await holdRepository(repositoryId);
      // Both statements use one connection and run in this order, so that the second one sees what earlier holders of
      // the lock wrote. `for no key update` lets concurrent transactions write rows that refer to the issue.
      const own = () =>
        db().selectFrom('issues_issue as i').where('i.repository_id', '=', repositoryId).where('i.number', '=', number);
      const [, row] = await Promise.all([
        own().select('i.id').forNoKeyUpdate().execute(),
        own().select(issueColumns).select([labelIds, assigneeIds]).executeTakeFirst(),
      ]);
      return row;
    },

    async update(id, patch) {
      const { title, description } = patch;
      await database.em().nativeUpdate(
        IssueTable,
        { id },
        {
          ...patch,
          ...(title !== undefined && searched.title(title)),
          ...(description !== undefined && searched.description(description)),
        },
      );
    },

    async watching(id, userId) {
      const { watchers, watching } = await db()
        .selectFrom('issues_watcher')
        .select(({ fn }) => [
          fn.countAll<number>().as('watchers'),
          rawSql<boolean>`coalesce(bool_or(user_id = ${userId ?? null}::uuid), false)`.as('watching'),
        ])
        .where('issue_id', '=', id)
        .executeTakeFirstOrThrow();
      return { watchers, watching };
    },

    async byNumber(repositoryId, number) {
      const row = await wholeIssues(db())
        .where('i.repository_id', '=', repositoryId)
        .where('i.number', '=', number)
        .executeTakeFirst();
      return row && issueRow(row);
    },

    async list(repositoryId, filter, slice) {
      const rows = await wholeIssues(db(), pageOfIssues(matching(db(), repositoryId, filter), slice))
        .orderBy('i.number', directions[slice.order])
        .execute();
      return rows.map(issueRow);
    },

    count: (repositoryId, filter) => countOf(matching(db(), repositoryId, filter)),
  } satisfies IssueStore;
}
