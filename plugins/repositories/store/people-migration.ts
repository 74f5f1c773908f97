// The schema of people around a repository: what role templates, stars, watchers and forks are kept in.
import type { Migration } from 'hexforge/plugin';

export const peopleTables = ['repositories_role_template', 'repositories_star', 'repositories_watch'];

const marks = (table: string): readonly string[] => [
  `create table ${table} (
    repository_id uuid not null references repositories_repository (id) on delete cascade,
    user_id uuid not null references identity_user (id) on delete cascade,
    created_at timestamptz not null,
    primary key (repository_id, user_id)
  )`,
  `create index ${table}_user on ${table} (user_id)`,
];

export const peopleMigration: Migration = {
  name: '003-people',
  up: [
    // No foreign key: the permissions were copied, and outlive the template.
    'alter table repositories_collaborator add column role_template_id uuid',
    'alter table repositories_repository add column parent_id uuid references repositories_repository (id) on delete set null',
    'create index repositories_repository_parent on repositories_repository (parent_id, updated_at desc, id) where parent_id is not null',
    `create table repositories_role_template (
      id uuid primary key,
      repository_id uuid not null references repositories_repository (id) on delete cascade,
      name text not null,
      name_key text not null,
      permissions text[] not null,
      created_at timestamptz not null,
      updated_at timestamptz not null
    )`,
    'create unique index repositories_role_template_name on repositories_role_template (repository_id, name_key)',
    ...marks('repositories_star'),
    ...marks('repositories_watch'),
  ],
};
