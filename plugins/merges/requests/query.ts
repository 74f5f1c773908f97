// Builds queries of merge requests: their own columns, and the joins of a whole request.
import type { PublicUser } from 'hexforge/identity';
import type { ListedRow, MergeFilter, MergeRequest, MergeRow, Reviewer } from 'hexforge/merges';
import { type Kysely, rawSql, type Selectable } from 'hexforge/plugin';
import type { NumberedSlice } from 'hexforge/repositories';
import type { MergesRows } from '../tables.ts';

type Row = Selectable<MergesRows['merges_request']>;

/** Converts the request's own row. */
export const requestOf = (row: Row): MergeRequest => ({
  id: row.id,
  repositoryId: row.repository_id,
  number: row.number,
  title: row.title,
  description: row.description,
  state: row.state,
  isDraft: row.is_draft,
  sourceRepositoryId: row.source_repository_id ?? undefined,
  sourceBranch: row.source_branch,
  targetBranch: row.target_branch,
  authorId: row.author_id,
  milestoneId: row.milestone_id,
  headOid: row.head_oid,
  baseOid: row.base_oid,
  mergeCommit: row.merge_commit,
  mergedById: row.merged_by_id,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  mergedAt: row.merged_at,
  closedAt: row.closed_at,
});

export const requestColumns = [
  'm.id',
  'm.repository_id',
  'm.number',
  'm.title',
  'm.description',
  'm.state',
  'm.is_draft',
  'm.source_repository_id',
  'm.source_branch',
  'm.target_branch',
  'm.author_id',
  'm.milestone_id',
  'm.head_oid',
  'm.base_oid',
  'm.merge_commit',
  'm.merged_by_id',
  'm.created_at',
  'm.updated_at',
  'm.merged_at',
  'm.closed_at',
] as const;

export const labelIds = rawSql<readonly string[]>`array(
  select l.label_id::text from merges_label l where l.request_id = m.id
)`.as('label_ids');

export const assigneeIds = rawSql<readonly string[]>`array(
  select s.user_id::text from merges_assignee s where s.request_id = m.id
)`.as('assignee_ids');

const person = rawSql`jsonb_build_object(
  'id', u.id, 'username', u.username, 'displayName', u.display_name, 'avatarUrl', u.avatar_url
)`;

const assignees = rawSql<readonly PublicUser[]>`coalesce((
  select jsonb_agg(${person} order by u.username_key)
  from merges_assignee s join identity_public_user u on u.id = s.user_id where s.request_id = m.id
), '[]'::jsonb)`.as('assignees');

const reviewers = rawSql<readonly Reviewer[]>`coalesce((
  select jsonb_agg(jsonb_build_object('user', ${person}, 'state', r.state) order by u.username_key)
  from merges_review r join identity_public_user u on u.id = r.user_id where r.request_id = m.id
), '[]'::jsonb)`.as('reviewers');

const stored = rawSql<Row>`merges_request`.as('m');

export const directions = { newest: 'desc', oldest: 'asc' } as const;

/** The requests of the repository that match the filter, with `m` as the request's alias. */
export function matching(db: Kysely<MergesRows>, repositoryId: string, { state }: MergeFilter) {
  const own = db.selectFrom('merges_request as m').where('m.repository_id', '=', repositoryId);
  return state === undefined ? own : own.where('m.state', '=', state);
}

/** A page of requests as a subquery, so that only the rows of the page are joined with other tables. */
export function pageOfRequests(page: ReturnType<typeof matching>, { order, beyond, limit, offset }: NumberedSlice) {
  const ahead = beyond === undefined ? page : page.where('m.number', order === 'newest' ? '<' : '>', beyond);
  const rows = ahead.select(requestColumns).orderBy('m.number', directions[order]).limit(limit).offset(offset);
  return rawSql<Row>`(${rows})`.as('m');
}

/** A query of requests with the columns of lists, with `m` as the request's alias. */
export const listedRequests = (db: Kysely<MergesRows>, from = stored) =>
  db
    .selectFrom(from)
    .innerJoin('identity_public_user as a', 'a.id', 'm.author_id')
    .select(requestColumns)
    .select([
      'a.username as author_username',
      'a.display_name as author_display_name',
      'a.avatar_url as author_avatar_url',
    ])
    .select([assignees]);

type Listed = Awaited<ReturnType<ReturnType<typeof listedRequests>['executeTakeFirstOrThrow']>>;

export const listedRow = (row: Listed): ListedRow => ({
  ...requestOf(row),
  author: {
    id: row.author_id,
    username: row.author_username,
    displayName: row.author_display_name,
    avatarUrl: row.author_avatar_url,
  },
  assignees: row.assignees,
});

/** A query of whole requests, with `m` as the request's alias. */
export const wholeRequests = (db: Kysely<MergesRows>) => listedRequests(db).select([labelIds, reviewers]);

type Whole = Awaited<ReturnType<ReturnType<typeof wholeRequests>['executeTakeFirstOrThrow']>>;

export const mergeRow = (row: Whole): MergeRow => ({
  ...listedRow(row),
  labelIds: row.label_ids,
  reviewers: row.reviewers,
});
