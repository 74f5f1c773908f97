// Builds queries of merge requests: their own columns, and the joins of a whole request.
import type { PublicUser } from 'hexforge/identity';
import type { CountedRow, ListedRow, MergeFilter, MergeRow, Reviewer } from 'hexforge/merges';
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
import type { NumberedSlice } from 'hexforge/repositories';
import { RequestTable, type MergesRows } from '../tables.ts';

type Row = Selectable<MergesRows['merges_request']>;

/** The request's own columns, as members of a row and as names. */
export const requestColumns = columnsOf(RequestTable, 'm');
const requestColumnNames = columnNames(RequestTable, 'm');

/** Converts the request's own members. */
export const requestOf = <R extends { readonly sourceRepositoryId: string | null }>({
  sourceRepositoryId,
  ...row
}: R) => ({ ...row, sourceRepositoryId: sourceRepositoryId ?? undefined });

export const labelIds = rawSql<readonly string[]>`array(
  select l.label_id::text from merges_label l where l.request_id = m.id
)`.as('labelIds');

export const assigneeIds = rawSql<readonly string[]>`array(
  select s.user_id::text from merges_assignee s where s.request_id = m.id
)`.as('assigneeIds');

const assignees = rawSql<readonly PublicUser[]>`coalesce((
  select jsonb_agg(${publicUserJson} order by u.username_key)
  from merges_assignee s join identity_public_user u on u.id = s.user_id where s.request_id = m.id
), '[]'::jsonb)`.as('assignees');

const reviewers = rawSql<readonly Reviewer[]>`coalesce((
  select jsonb_agg(jsonb_build_object('user', ${publicUserJson}, 'state', r.state) order by u.username_key)
  from merges_review r join identity_public_user u on u.id = r.user_id where r.request_id = m.id
), '[]'::jsonb)`.as('reviewers');

const stored = rawSql<Row>`merges_request`.as('m');

export const directions = { newest: 'desc', oldest: 'asc' } as const;

/** The requests of the repository that match the filter, with `m` as the request's alias. */
export function matching(db: Kysely<MergesRows>, repositoryId: string, filter: MergeFilter) {
  let query = db.selectFrom('merges_request as m').where('m.repository_id', '=', repositoryId);
  const { state, authorId, milestoneId, isDraft, assigneeId, reviewerId, labelId, q } = filter;
  if (state !== undefined) query = query.where('m.state', '=', state);
  if (authorId !== undefined) query = query.where('m.author_id', '=', authorId);
  if (milestoneId !== undefined) query = query.where('m.milestone_id', '=', milestoneId);
  if (isDraft !== undefined) query = query.where('m.is_draft', '=', isDraft);
  if (assigneeId !== undefined)
    query = query.where('m.id', 'in', (is) =>
      is.selectFrom('merges_assignee').select('request_id').where('user_id', '=', assigneeId),
    );
  if (reviewerId !== undefined)
    query = query.where('m.id', 'in', (is) =>
      is.selectFrom('merges_review').select('request_id').where('user_id', '=', reviewerId),
    );
  if (labelId !== undefined)
    query = query.where('m.id', 'in', (is) =>
      is.selectFrom('merges_label').select('request_id').where('label_id', '=', labelId),
    );
  if (q !== undefined) query = query.where(rawSql<boolean>`position(lower(${q}::text) in lower(m.title)) > 0`);
  return query;
}

/** A page of requests as a subquery, so that only the rows of the page are joined with other tables. */
export function pageOfRequests(page: ReturnType<typeof matching>, { order, beyond, limit, offset }: NumberedSlice) {
  const ahead = beyond === undefined ? page : page.where('m.number', order === 'newest' ? '<' : '>', beyond);
  const rows = ahead.select(requestColumnNames).orderBy('m.number', directions[order]).limit(limit).offset(offset);
  return rawSql<Row>`(${rows})`.as('m');
}

/** A query of requests with the columns of lists, with `m` as the request's alias. */
export const listedRequests = (db: Kysely<MergesRows>, from = stored) =>
  db
    .selectFrom(from)
    .innerJoin('identity_public_user as a', 'a.id', 'm.author_id')
    .select(requestColumns)
    .select(publicUserColumns('a', 'author'))
    .select([assignees]);

const listed = nesting<typeof listedRequests>();

export const listedRow = (row: Parameters<typeof listed>[0]): ListedRow => requestOf(listed(row));

/** A query of whole requests, with `m` as the request's alias. */
export const wholeRequests = (db: Kysely<MergesRows>, from = stored) =>
  listedRequests(db, from).select([labelIds, reviewers]);

export const commentsCount = rawSql<number>`(
  select count(*)::int from merges_comment c where c.request_id = m.id
)`.as('commentsCount');

const whole = nesting<typeof wholeRequests>();

export const mergeRow = (row: Parameters<typeof whole>[0]): MergeRow => requestOf(whole(row));

export const countedRow = ({
  commentsCount: count,
  ...row
}: Parameters<typeof whole>[0] & { readonly commentsCount: number }): CountedRow => ({
  ...mergeRow(row as Parameters<typeof whole>[0]),
  commentsCount: count,
});
