// Builds queries of issues: the condition of a filter, and the columns and joins of a whole issue.
import { type Kysely, rawSql, type Selectable } from 'hexforge/plugin';
import { plainWords, type IssueFilter, type IssueRow } from 'hexforge/issues';
import type { PublicUser } from 'hexforge/identity';
import type { NumberedSlice } from 'hexforge/repositories';
import { titleHolds } from './title.ts';
import type { IssuesRows } from '../tables.ts';

type Row = Selectable<Omit<IssuesRows['issues_issue'], 'title_key' | 'title_words' | 'description_words'>>;

/** Converts the issue's own row. */
export const issueOf = (row: Row) => ({
  id: row.id,
  repositoryId: row.repository_id,
  number: row.number,
  authorId: row.author_id,
  title: row.title,
  description: row.description,
  state: row.state,
  status: row.status,
  priority: row.priority,
  locked: row.locked,
  closedAt: row.closed_at,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  typeId: row.type_id,
  parentId: row.parent_id,
  dueDate: row.due_date,
  milestoneId: row.milestone_id,
  storyPoints: row.story_points,
  inputTokens: row.input_tokens,
  outputTokens: row.output_tokens,
  assumptions: row.assumptions,
  acceptanceCriteria: row.acceptance_criteria,
});

export const issueColumns = [
  'i.id',
  'i.repository_id',
  'i.number',
  'i.author_id',
  'i.title',
  'i.description',
  'i.state',
  'i.status',
  'i.priority',
  'i.locked',
  'i.closed_at',
  'i.created_at',
  'i.updated_at',
  'i.type_id',
  'i.parent_id',
  'i.due_date',
  'i.milestone_id',
  'i.story_points',
  'i.input_tokens',
  'i.output_tokens',
  'i.assumptions',
  'i.acceptance_criteria',
] as const;

export const labelIds = rawSql<readonly string[]>`array(
  select l.label_id::text from issues_issue_label l where l.issue_id = i.id
)`.as('label_ids');

const assignees = rawSql<readonly PublicUser[]>`coalesce((
  select jsonb_agg(
    jsonb_build_object(
      'id', u.id, 'username', u.username, 'displayName', u.display_name, 'avatarUrl', u.avatar_url
    ) order by u.username_key
  )
  from issues_assignee s join identity_public_user u on u.id = s.user_id where s.issue_id = i.id
), '[]'::jsonb)`.as('assignees');

const childrenCount = rawSql<number>`(select count(*) from issues_issue c where c.parent_id = i.id)`.as(
  'children_count',
);

const commentsCount = rawSql<number>`(select count(*) from issues_comment m where m.issue_id = i.id)`.as(
  'comments_count',
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
  const columns = ahead.select(issueColumns.filter((column) => texts === undefined || !isText(column)));
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
    .select([
      'a.username as author_username',
      'a.display_name as author_display_name',
      'a.avatar_url as author_avatar_url',
      't.name as type_name',
      't.display_name as type_display_name',
      't.description as type_description',
      't.color as type_color',
      't.icon as type_icon',
      't.is_subtask as type_is_subtask',
      't.position as type_position',
      'p.number as parent_number',
      'p.title as parent_title',
    ])
    .select([labelIds, assignees, childrenCount, commentsCount]);

type WholeRow = Awaited<ReturnType<ReturnType<typeof wholeIssues>['executeTakeFirstOrThrow']>>;

export const issueRow = (row: WholeRow): IssueRow => ({
  ...issueOf(row),
  author: {
    id: row.author_id,
    username: row.author_username,
    displayName: row.author_display_name,
    avatarUrl: row.author_avatar_url,
  },
  type: {
    id: row.type_id,
    name: row.type_name,
    displayName: row.type_display_name,
    description: row.type_description,
    color: row.type_color,
    icon: row.type_icon,
    isSubtask: row.type_is_subtask,
    position: row.type_position,
  },
  parent:
    row.parent_id === null || row.parent_number === null || row.parent_title === null
      ? null
      : { id: row.parent_id, number: row.parent_number, title: row.parent_title },
  assignees: row.assignees,
  labelIds: row.label_ids,
  childrenCount: row.children_count,
  commentsCount: row.comments_count,
});

/** Member of the filter to the column that must equal it. */
const equal = [
  ['state', 'i.state'],
  ['status', 'i.status'],
  ['priority', 'i.priority'],
  ['milestoneId', 'i.milestone_id'],
  ['parentId', 'i.parent_id'],
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
  const { type, labelIds = [], componentId, hasParent, overdue, q } = filter;
  if (type !== undefined)
    query = query.where('i.type_id', '=', (is) => is.selectFrom('issues_type').select('id').where('name', '=', type));
  for (const labelId of labelIds)
    query = query.where('i.id', 'in', (is) =>
      is.selectFrom('issues_issue_label').select('issue_id').where('label_id', '=', labelId),
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
  const words = plainWords(q ?? '');
  if (q !== undefined)
    query = query.where((is) =>
      is.or([
        titleHolds(q),
        ...(words === '' ? [] : [rawSql<boolean>`i.search @@ plainto_tsquery('simple', ${words})`]),
      ]),
    );
  return query;
}
