// The migrations of the plugin "merges", in order.
import type { Migration } from 'hexforge/plugin';

const ofRequest = 'request_id uuid not null references merges_request (id) on delete cascade';

const requests: Migration = {
  name: '001-requests',
  up: [
    `create table merges_request (
      id uuid primary key,
      repository_id uuid not null references repositories_repository (id) on delete cascade,
      number integer not null,
      title text not null,
      description text not null,
      state text not null check (state in ('open', 'merged', 'closed')),
      is_draft boolean not null,
      source_repository_id uuid references repositories_repository (id) on delete set null,
      source_branch text not null,
      target_branch text not null,
      author_id uuid not null references identity_user (id) on delete restrict,
      milestone_id uuid,
      head_oid text not null,
      base_oid text,
      merge_commit text,
      merged_by_id uuid references identity_user (id) on delete restrict,
      created_at timestamptz not null,
      updated_at timestamptz not null,
      merged_at timestamptz,
      closed_at timestamptz,
      constraint merges_request_number unique (repository_id, number)
    )`,
    `create unique index merges_request_open_pair
      on merges_request (repository_id, source_repository_id, source_branch, target_branch) where state = 'open'`,
    // For lists of one state, ordered by number.
    'create index merges_request_state on merges_request (repository_id, state, number)',
    `create index merges_request_source
      on merges_request (source_repository_id, source_branch, id) where state = 'open'`,
    "create index merges_request_target on merges_request (repository_id, target_branch, id) where state = 'open'",
    // Used when a source repository is deleted.
    'create index merges_request_fork on merges_request (source_repository_id)',
    'create index merges_request_author on merges_request (author_id)',
    'create index merges_request_merger on merges_request (merged_by_id) where merged_by_id is not null',
    'create index merges_request_milestone on merges_request (milestone_id) where milestone_id is not null',
    // The last number that was given. Its row is locked until the transaction that inserts the request ends.
    `create table merges_counter (
      repository_id uuid primary key references repositories_repository (id) on delete cascade,
      last integer not null
    )`,
    `create table merges_label (
      ${ofRequest},
      label_id uuid not null,
      primary key (request_id, label_id)
    )`,
    'create index merges_label_label on merges_label (label_id)',
    `create table merges_assignee (
      ${ofRequest},
      user_id uuid not null references identity_user (id) on delete cascade,
      primary key (request_id, user_id)
    )`,
    'create index merges_assignee_user on merges_assignee (user_id)',
    `create table merges_review (
      id uuid primary key,
      ${ofRequest},
      user_id uuid not null references identity_user (id) on delete restrict,
      state text not null check (state in ('pending', 'approved', 'changes_requested')),
      body text not null,
      commit_oid text,
      requested_at timestamptz,
      submitted_at timestamptz,
      constraint merges_review_user unique (request_id, user_id)
    )`,
    'create index merges_review_reviewer on merges_review (user_id)',
  ],
};

const comments: Migration = {
  name: '002-comments',
  up: [
    `create table merges_comment (
      id uuid primary key,
      request_id uuid not null references merges_request (id) on delete cascade,
      author_id uuid not null references identity_user (id) on delete restrict,
      commit_oid text,
      file_path text check (file_path is null or commit_oid is not null),
      line_number integer check (line_number is null or file_path is not null),
      body text not null,
      resolved boolean not null,
      created_at timestamptz not null,
      updated_at timestamptz not null
    )`,
    'create index merges_comment_request on merges_comment (request_id, created_at, id)',
    'create index merges_comment_author on merges_comment (author_id)',
  ],
};

const openCount: Migration = {
  name: '003-open-count',
  up: [
    `create view merges_open as
    select repository_id, count(*) as count from merges_request where state = 'open' group by repository_id`,
  ],
};

const sourceAccess: Migration = {
  name: '004-source-access',
  up: [
    `alter table merges_request
      add column reopened_by_id uuid references identity_user (id) on delete set null,
      add column source_loss text check (source_loss in ('cannot_push', 'less_visible')),
      add column source_visibility text,
      add column target_visibility text`,
    'create index merges_request_reopener on merges_request (reopened_by_id) where reopened_by_id is not null',
    'alter table merges_review add column objected boolean not null default false',
  ],
};

const commentRanges: Migration = {
  name: '005-comment-ranges',
  up: [
    'alter table merges_comment add column start_line integer check (start_line is null or start_line < line_number)',
  ],
};

export const tables = [
  'merges_request',
  'merges_counter',
  'merges_label',
  'merges_assignee',
  'merges_review',
  'merges_comment',
  'merges_open',
];

export const migrations: readonly Migration[] = [requests, comments, openCount, sourceAccess, commentRanges];
