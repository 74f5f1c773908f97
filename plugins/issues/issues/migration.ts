// The migration of issues, their numbers, labels, assignees and watchers.
import type { Migration } from 'hexforge/plugin';

const ofUser = (table: string): readonly string[] => [
  `create table ${table} (
    issue_id uuid not null references issues_issue (id) on delete cascade,
    user_id uuid not null references identity_user (id) on delete cascade,
    primary key (issue_id, user_id)
  )`,
  `create index ${table}_user on ${table} (user_id)`,
];

/** An index that returns a list filtered by the column in the order of numbers. */
const filtered = (column: string): string =>
  `create index issues_issue_${column} on issues_issue (repository_id, ${column}, number)`;

/** A partial index, because few issues have a value. */
const bounded = (column: string): string =>
  `create index issues_issue_${column} on issues_issue (repository_id, ${column}) where ${column} is not null`;

export const issues: Migration = {
  name: '002-issues',
  up: [
    `create table issues_issue (
      id uuid primary key,
      repository_id uuid not null references repositories_repository (id) on delete cascade,
      number integer not null,
      author_id uuid not null references identity_user (id) on delete restrict,
      title text not null,
      title_key text not null,
      title_words text not null,
      description text not null,
      description_words text not null,
      state text not null check (state in ('open', 'closed')),
      status text not null check (status in ('queued', 'in_progress', 'blocked', 'completed', 'canceled')),
      priority text not null check (priority in ('none', 'low', 'medium', 'high', 'critical')),
      locked boolean not null,
      closed_at timestamptz,
      created_at timestamptz not null,
      updated_at timestamptz not null,
      type_id uuid not null references issues_type (id) on delete restrict,
      parent_id uuid references issues_issue (id) on delete set null,
      due_date date,
      milestone_id uuid,
      story_points bigint,
      input_tokens bigint,
      output_tokens bigint,
      assumptions text,
      acceptance_criteria text,
      constraint issues_issue_number unique (repository_id, number)
    )`,
    ...['state', 'status', 'priority', 'type_id'].map(filtered),
    ...['due_date', 'story_points', 'input_tokens', 'output_tokens'].map(bounded),
    'create index issues_issue_author on issues_issue (author_id)',
    'create index issues_issue_type on issues_issue (type_id)',
    'create index issues_issue_parent on issues_issue (parent_id, number) where parent_id is not null',
    'create index issues_issue_milestone on issues_issue (milestone_id, state) where milestone_id is not null',
    // The last number that was given. Its row is locked until the transaction that inserts the issue ends.
    `create table issues_number (
      repository_id uuid primary key references repositories_repository (id) on delete cascade,
      last integer not null
    )`,
    `create table issues_issue_label (
      issue_id uuid not null references issues_issue (id) on delete cascade,
      label_id uuid not null,
      primary key (issue_id, label_id)
    )`,
    'create index issues_issue_label_label on issues_issue_label (label_id)',
    ...ofUser('issues_assignee'),
    ...ofUser('issues_watcher'),
  ],
};
