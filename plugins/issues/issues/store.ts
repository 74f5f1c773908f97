// The store of issues in PostgreSQL: one query per read, entities for writes.
import { countEach, countOf, type Kysely, rawSql, type SqlDatabase } from 'hexforge/plugin';
import { deepest, plainWords, type IssueStore, type OwnIssue, type Relative } from 'hexforge/issues';
import { issueNumbers, IssueTable, type IssuesRows } from '../tables.ts';
import { directions, issueColumns, issueRow, labelIds, matching, pageOfIssues, wholeIssues } from './query.ts';
import { issueWrites } from './writes.ts';

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

    async titles(repositoryId, numbers) {
      if (numbers.length === 0) return new Map();
      const rows = await db()
        .selectFrom('issues_issue')
        .select(['number', 'title'])
        .where('repository_id', '=', repositoryId)
        .where('number', 'in', [...numbers])
        .execute();
      return new Map(rows.map(({ number, title }) => [number, title]));
    },

    async list(repositoryId, filter, slice) {
      const rows = await wholeIssues(db(), pageOfIssues(matching(db(), repositoryId, filter), slice))
        .orderBy('i.number', directions[slice.order])
        .execute();
      return rows.map(issueRow);
    },

    count: (repositoryId, filter) => countOf(matching(db(), repositoryId, filter)),

    async ofUser(userId, limit) {
      const newest = () =>
        db()
          .selectFrom('issues_issue as i')
          .select(['i.id', 'i.repository_id as repositoryId', 'i.number', 'i.title', 'i.created_at as createdAt'])
          .where('i.state', '=', 'open')
          .orderBy('i.created_at', 'desc')
          .orderBy('i.id')
          .limit(limit);
      // A union of two short lists, because `or` over two tables would read all issues.
      const written = newest().where('i.author_id', '=', userId);
      const assigned = newest().innerJoin('issues_assignee as s', 's.issue_id', 'i.id').where('s.user_id', '=', userId);
      return db()
        .selectFrom(rawSql<OwnIssue>`((${written}) union (${assigned}))`.as('mine'))
        .selectAll()
        .orderBy('createdAt', 'desc')
        .orderBy('id')
        .limit(limit)
        .execute();
    },

    // The depth is bounded by the rules of core, and again in the queries.
    async lineage(repositoryId, which) {
      const row = await db()
        .selectFrom('issues_issue as i')
        .innerJoin('issues_type as t', 't.id', 'i.type_id')
        .select(['i.id', 't.name', 't.is_subtask'])
        .select(
          rawSql<readonly string[]>`array(
            with recursive up as (
              select i.parent_id as id, 1 as level
              union all
              select p.parent_id, up.level + 1 from up join issues_issue p on p.id = up.id where up.level < ${deepest}
            )
            select up.id::text from up where up.id is not null order by up.level
          )`.as('ancestor_ids'),
        )
        .where('i.repository_id', '=', repositoryId)
        .where('id' in which ? 'i.id' : 'i.number', '=', 'id' in which ? which.id : which.number)
        .executeTakeFirst();
      return row && { id: row.id, type: { name: row.name, isSubtask: row.is_subtask }, ancestorIds: row.ancestor_ids };
    },

    // Of many children those with the lowest numbers are read, so that a level has a bound.
    async family(repositoryId, id, limit) {
      const { rows } = await rawSql<Relative>`
        with recursive up as (
          select i.parent_id as id, 1 as level from issues_issue i where i.id = ${id} and i.repository_id = ${repositoryId}
          union all
          select p.parent_id, up.level + 1 from up join issues_issue p on p.id = up.id where up.level < ${deepest}
        ), down as (
          (
            select c.id, 1 as level from issues_issue c
            where c.parent_id = ${id} and c.repository_id = ${repositoryId} order by c.number limit ${limit}
          )
          union all
          select c.id, down.level + 1
          from down cross join lateral (
            select i.id from issues_issue i where i.parent_id = down.id order by i.number limit ${limit}
          ) c
          where down.level < ${deepest}
        ), related as (
          select id, -level as level from up where id is not null
          union all
          (select id, level from down limit ${limit})
        )
        select i.id, i.number, i.title, i.state, i.parent_id as "parentId"
        from related join issues_issue i on i.id = related.id
        order by related.level, i.number
        limit ${limit}
      `.execute(db());
      return rows;
    },

    async height(id) {
      const { rows } = await rawSql<{ readonly height: number }>`
        with recursive down as (
          select ${id}::uuid as id, 1 as level
          union all
          select c.id, down.level + 1 from down join issues_issue c on c.parent_id = down.id
          where down.level <= ${deepest}
        )
        select max(level) as height from down
      `.execute(db());
      return rows[0]?.height ?? 1;
    },

    childTypes: (id) =>
      db()
        .selectFrom('issues_type as t')
        .select('t.name')
        .where('t.id', 'in', (is) =>
          is.selectFrom('issues_issue as c').select('c.type_id').where('c.parent_id', '=', id),
        )
        .execute(),

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
  } satisfies IssueStore;
}
