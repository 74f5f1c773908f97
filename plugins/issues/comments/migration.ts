// The migration of comments, of changes of descriptions, and of links between issues.
import type { Migration } from 'hexforge/plugin';

const ofIssue = (column = 'issue_id') => `${column} uuid not null references issues_issue (id) on delete cascade`;
const byUser = (column: string) => `${column} uuid not null references identity_user (id) on delete restrict`;

export const talk: Migration = {
  name: '004-talk',
  up: [
    `create table issues_comment (
      id uuid primary key,
      ${ofIssue()},
      ${byUser('author_id')},
      body text not null,
      created_at timestamptz not null,
      updated_at timestamptz not null
    )`,
    'create index issues_comment_issue on issues_comment (issue_id, created_at, id)',
    'create index issues_comment_author on issues_comment (author_id)',
    `create table issues_description_edit (
      id uuid primary key,
      ${ofIssue()},
      body_before text not null,
      body_after text not null,
      ${byUser('edited_by')},
      edited_at timestamptz not null
    )`,
    'create index issues_description_edit_issue on issues_description_edit (issue_id, edited_at, id)',
    'create index issues_description_edit_editor on issues_description_edit (edited_by)',
    `create table issues_link (
      id uuid primary key,
      ${ofIssue('source_id')},
      ${ofIssue('target_id')},
      type text not null check (type in ('blocks', 'relates_to', 'duplicates')),
      created_at timestamptz not null,
      constraint issues_link_ends unique (source_id, type, target_id),
      check (source_id <> target_id)
    )`,
    'create index issues_link_target on issues_link (target_id, type)',
  ],
};
