// The migration of review comments.
import type { Migration } from 'hexforge/plugin';

export const comments: Migration = {
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
