// The migrations of the plugin "repositories": its tables, the published view and the published functions.
import type { Migration } from 'hexforge/plugin';

export const tables = [
  'repositories_repository',
  'repositories_collaborator',
  'repositories_public_repository',
  'repositories_protection',
  'repositories_role_template',
  'repositories_star',
  'repositories_watch',
  'repositories_brought',
  'repositories_setting',
];

const marks = (table: string): readonly string[] => [
  `create table ${table} (
    repository_id uuid not null references repositories_repository (id) on delete cascade,
    user_id uuid not null references identity_user (id) on delete cascade,
    created_at timestamptz not null,
    primary key (repository_id, user_id)
  )`,
  `create index ${table}_user on ${table} (user_id)`,
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
  {
    name: '002-protection',
    up: [
      `create table repositories_protection (
      repository_id uuid not null references repositories_repository (id) on delete cascade,
      branch text not null,
      allow_force_push boolean not null,
      allow_deletion boolean not null,
      push_roles text[] not null,
      required_approvals integer not null,
      pipeline_on_open boolean not null,
      pipeline_on_merge boolean not null,
      updated_at timestamptz not null,
      primary key (repository_id, branch)
    )`,
    ],
  },
  {
    name: '003-people',
    up: [
      // Not a foreign key, because the permissions were copied and remain when the template is deleted.
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
  },
  {
    name: '004-prune',
    up: [
      'alter table repositories_repository add column prune_at timestamptz',
      // Also schedules a prune for repositories with earlier pushes.
      `update repositories_repository set prune_at = updated_at + interval '14 days'`,
      'create index repositories_repository_prune on repositories_repository (prune_at, id) where prune_at is not null',
    ],
  },
  {
    name: '005-readable',
    up: [
      // Returns rows instead of a condition, because PostgreSQL inlines a function of this form (one select, stable,
      // not strict). A list of readable repositories then gets the same plan as a query with the rule itself. It
      // returns whole rows, because joining ids with their table would read each row twice.
      `create function repositories_readable_by(reader uuid) returns setof repositories_repository
      language sql stable as $$
      select r.* from repositories_repository r
      where r.visibility = 'public' or (reader is not null and (
        r.visibility = 'internal'
        or r.owner_id = reader
        or exists (
          select 1 from repositories_collaborator c
          where c.repository_id = r.id and c.user_id = reader
            and (c.role in ('read', 'triage', 'write', 'maintain', 'admin') or 'repo.read' = any (c.permissions))
        )
      ))
    $$`,
      `create or replace function repositories_readable(reader uuid, repository uuid) returns boolean
      language sql stable as $$
      select exists (select 1 from repositories_readable_by(reader) r where r.id = repository)
    $$`,
    ],
  },
  {
    name: '006-bytes',
    up: ['alter table repositories_repository add column bytes bigint not null default 0'],
  },
  {
    name: '007-stale-approvals',
    up: ['alter table repositories_protection add column dismiss_stale_approvals boolean not null default false'],
  },
  {
    name: '008-brought',
    up: [
      // The id of a merge request is plain, because the area of merge requests is optional.
      `create table repositories_brought (
      request_id uuid primary key,
      repository_id uuid not null references repositories_repository (id) on delete cascade,
      user_id uuid not null references identity_user (id) on delete cascade,
      bytes bigint not null,
      let_go_at timestamptz
    )`,
      'create index repositories_brought_repository on repositories_brought (repository_id, request_id)',
      'create index repositories_brought_user on repositories_brought (user_id)',
    ],
  },
  {
    name: '009-role-template-keys',
    up: [
      // Keys of names in NFC. Of two names that became equal, the one without that key keeps its own: both are found by
      // their ids.
      `with renamed as (
      select distinct on (repository_id, normalize(name_key, nfc)) id, normalize(name_key, nfc) as key
      from repositories_role_template where name_key is not nfc normalized
      order by repository_id, normalize(name_key, nfc), id
    )
    update repositories_role_template named set name_key = renamed.key from renamed
    where named.id = renamed.id and not exists (
      select from repositories_role_template other
      where other.repository_id = named.repository_id and other.name_key = renamed.key
    )`,
    ],
  },
  {
    name: '010-settings',
    up: [
      // A purge finds the settings of a plugin by the last column.
      `create table repositories_setting (
      repository_id uuid not null references repositories_repository (id) on delete cascade,
      key text not null,
      text text not null,
      updated_at timestamptz not null,
      hexforge_plugin text not null,
      primary key (repository_id, key)
    )`,
    ],
  },
];
