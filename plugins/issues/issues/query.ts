// Builds queries of issues: the condition of a filter, and the columns and joins of a whole issue.
import {
  columnNames,
  columnsOf,
  nesting,
  publicUserColumns,
  publicUserJson,
  rawSql,
  type Kysely,
  type Selectable,
} from 'hexforge/plugin';
import { searchedWords, type IssueFilter, type IssueRow } from 'hexforge/issues';
import type { PublicUser } from 'hexforge/identity';
import type { NumberedSlice } from 'hexforge/repositories';
import { titleHolds } from './title.ts';
import { IssueTable, TypeTable, type IssuesRows } from '../tables.ts';

/** Members for the search alone. */
const searched = ['titleKey', 'titleWords', 'descriptionWords'] as const;
/** The issue's own columns, as members of a row and as names. */
export const issueColumns = columnsOf(IssueTable, 'i', { except: searched });
export const issueColumnNames = columnNames(IssueTable, 'i', { except: searched });

type Row = Selectable<IssuesRows['issues_issue']>;

export const labelIds = rawSql<readonly string[]>`array(
  select l.label_id::text from issues_issue_label l where l.issue_id = i.id
)`.as('labelIds');

const assignees = rawSql<readonly PublicUser[]>`coalesce((
  select jsonb_agg(${publicUserJson} order by u.username_key)
  from issues_assignee s join identity_public_user u on u.id = s.user_id where s.issue_id = i.id
), '[]'::jsonb)`.as('assignees');

const childrenCount = rawSql<number>`(select count(*) from issues_issue c where c.parent_id = i.id)`.as(
  'childrenCount',
);

const commentsCount = rawSql<number>`(select count(*) from issues_comment m where m.issue_id = i.id)`.as(
  'commentsCount',
);

const stored = rawSql<Row>`issues_issue`.as('i');

const issueTexts = ['description', 'assumptions', 'acceptance_criteria'] as const;
export const isText = (column: string): boolean => issueTexts.some((name) => column === `i.${name}`);

/** Reads one character more than needed, which shows whether the text was cut. */
const beginningOf = (name: (typeof issueTexts)[number], most: number) =>
  rawSql<string | null>`left(${rawSql.ref(`i.${name}`)}, ${most + 1}::integer)`.as(name);

/** A page of issues as a subquery, so that only the rows of the page are joined with other tables. */
export function pageOfIssues(page: ReturnType<typeof matching>, slice: NumberedSlice) {
  const { order, beyond, limit, offset, texts } = slice;
  const ahead = beyond === undefined ? page : page.where('i.number', order === 'newest' ? '<' : '>', beyond);
  const columns = ahead.select(issueColumnNames.filter((column) => texts === undefined || !isText(column)));
  const cut = texts === undefined ? columns : columns.select(issueTexts.map((name) => beginningOf(name, texts)));
  const rows = cut.orderBy('i.number', directions[order]).limit(limit).offset(offset);
  return rawSql<Row>`(${rows})`.as('i');
}

export const directions = { newest: 'desc', oldest: 'asc' } as const;

/** A query of whole issues, with `i` as the issue's alias. */
export const wholeIssues = (db: Kysely<IssuesRows>, from = stored) =>
  db
    .selectFrom(from)
    .innerJoin('identity_public_user as a', 'a.id', 'i.author_id')
    .innerJoin('issues_type as t', 't.id', 'i.type_id')
    .leftJoin('issues_issue as p', 'p.id', 'i.parent_id')
    .select(issueColumns)
    .select(publicUserColumns('a', 'author'))
    .select(columnsOf(TypeTable, 't', { under: 'type' }))
    .select(['p.id as parent.id', 'p.number as parent.number', 'p.title as parent.title'])
    .select([labelIds, assignees, childrenCount, commentsCount]);

const whole = nesting<typeof wholeIssues>();

export const issueRow = (row: Parameters<typeof whole>[0]): IssueRow => whole(row);

/** Member of the filter to the column that must equal it. */
const equal = [
  ['state', 'i.state'],
  ['status', 'i.status'],
  ['priority', 'i.priority'],
  ['milestoneId', 'i.milestone_id'],
  ['parentId', 'i.parent_id'],
  ['authorId', 'i.author_id'],
] as const;

/** Range of the filter to the column that it bounds. */
const bounded = [
  ['dueDate', 'i.due_date'],
  ['storyPoints', 'i.story_points'],
  ['inputTokens', 'i.input_tokens'],
  ['outputTokens', 'i.output_tokens'],
] as const;

/** Member of the filter to the kind of association with a version. */
const versioned = [
  ['fixVersionId', 'fix'],
  ['affectsVersionId', 'affects'],
] as const;

/** The issues of the repository that match the filter, with `i` as the issue's alias. */
export function matching(db: Kysely<IssuesRows>, repositoryId: string, filter: IssueFilter) {
  let query = db.selectFrom('issues_issue as i').where('i.repository_id', '=', repositoryId);
  for (const [member, column] of equal) {
    const value = filter[member];
    if (value !== undefined) query = query.where(column, '=', value);
  }
  for (const [member, column] of bounded) {
    const { min, max, set } = filter.ranges?.[member] ?? {};
    if (min !== undefined) query = query.where(column, '>=', rawSql<never>`${min}`);
    if (max !== undefined) query = query.where(column, '<=', rawSql<never>`${max}`);
    if (set !== undefined) query = query.where(column, set ? 'is not' : 'is', null);
  }
  const { type, labelIds = [], assigneeId, componentId, hasParent, overdue, q } = filter;
  if (type !== undefined)
    query = query.where('i.type_id', '=', (is) => is.selectFrom('issues_type').select('id').where('name', '=', type));
  for (const labelId of labelIds)
    query = query.where('i.id', 'in', (is) =>
      is.selectFrom('issues_issue_label').select('issue_id').where('label_id', '=', labelId),
    );
  if (assigneeId !== undefined)
    query = query.where('i.id', 'in', (is) =>
      is.selectFrom('issues_assignee').select('issue_id').where('user_id', '=', assigneeId),
    );
  if (componentId !== undefined)
    query = query.where('i.id', 'in', (is) =>
      is.selectFrom('issues_issue_component').select('issue_id').where('component_id', '=', componentId),
    );
  for (const [member, kind] of versioned) {
    const versionId = filter[member];
    if (versionId !== undefined)
      query = query.where('i.id', 'in', (is) =>
        is
          .selectFrom('issues_issue_version')
          .select('issue_id')
          .where('version_id', '=', versionId)
          .where('kind', '=', kind),
      );
  }
  if (hasParent !== undefined) query = query.where('i.parent_id', hasParent ? 'is not' : 'is', null);
  if (overdue !== undefined)
    query = overdue.is
      ? query.where('i.state', '=', 'open').where('i.due_date', '<', overdue.today)
      : query.where((is) =>
          is.or([is('i.state', '=', 'closed'), is('i.due_date', 'is', null), is('i.due_date', '>=', overdue.today)]),
        );
  const words = searchedWords(q ?? '');
  if (q !== undefined)
    query = query.where((is) =>
      is.or([
        titleHolds(q),
        ...(words === '' ? [] : [rawSql<boolean>`i.search @@ plainto_tsquery('simple', ${words})`]),
      ]),
    );
  return query;
}
