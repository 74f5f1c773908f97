// The schema of this plugin: repositories, collaborators, the published view and the published condition.
import type { Migration } from 'hexforge/plugin';
import { peopleMigration, peopleTables } from './people-migration.ts';
import { protectionMigration } from './protection-table.ts';
import { pruneMigration } from './prune-migration.ts';

export const tables = [
  'repositories_repository',
  'repositories_collaborator',
  'repositories_public_repository',
  'repositories_protection',
  ...peopleTables,
];

export const migrations: readonly Migration[] = [
  {
    name: '001-repositories',
    up: [
      `create table repositories_repository (
      id uuid primary key,
      owner_id uuid not null references identity_user (id) on delete restrict,
      name text not null,
      name_key text not null,
      description text not null,
      visibility text not null check (visibility in ('public', 'internal', 'private')),
      default_branch text not null,
      issue_code text not null,
      created_at timestamptz not null,
      updated_at timestamptz not null
    )`,
      'create unique index repositories_repository_owner_name on repositories_repository (owner_id, name_key)',
      `create unique index repositories_repository_owner_issue_code on repositories_repository (owner_id, issue_code) where issue_code <> ''`,
      'create index repositories_repository_updated on repositories_repository (updated_at desc, id)',
      'create index repositories_repository_owner_updated on repositories_repository (owner_id, updated_at desc, id)',
      `create table repositories_collaborator (
      repository_id uuid not null references repositories_repository (id) on delete cascade,
      user_id uuid not null references identity_user (id) on delete cascade,
      role text not null,
      permissions text[] not null,
      created_at timestamptz not null,
      primary key (repository_id, user_id)
    )`,
      'create index repositories_collaborator_user on repositories_collaborator (user_id)',
      `create view repositories_public_repository as
      select r.id, r.owner_id, u.username as owner, r.name, r.name_key, r.visibility, r.default_branch, r.issue_code
      from repositories_repository r join identity_public_user u on u.id = r.owner_id`,
      `create function repositories_readable(reader uuid, repository uuid) returns boolean language sql stable as $$
      select exists (
        select 1 from repositories_repository r
        where r.id = repository and (
          r.visibility = 'public'
          or (reader is not null and r.visibility = 'internal')
          or r.owner_id = reader
          or exists (
            select 1 from repositories_collaborator c
            where c.repository_id = r.id and c.user_id = reader
              and (c.role in ('read', 'triage', 'write', 'maintain', 'admin') or 'repo.read' = any (c.permissions))
          )
        )
      )
    $$`,
    ],
  },
  protectionMigration,
  peopleMigration,
  pruneMigration,
];
