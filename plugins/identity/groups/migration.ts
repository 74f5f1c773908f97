// The migration of user groups and their members, with the groups that every instance has.
import type { Migration } from 'hexforge/plugin';

export const groups: Migration = {
  name: '002-groups',
  up: [
    `create table identity_group (
      id uuid primary key,
      slug text not null constraint identity_group_slug_key unique,
      name text not null,
      name_key text not null constraint identity_group_name_key unique,
      description text not null,
      role text not null check (role in ('member', 'instance_admin')),
      is_system boolean not null,
      created_at timestamptz not null,
      updated_at timestamptz not null
    )`,
    `create table identity_group_member (
      group_id uuid not null references identity_group on delete cascade,
      user_id uuid not null references identity_user on delete cascade,
      added_at timestamptz not null,
      primary key (group_id, user_id)
    )`,
    'create index identity_group_member_user on identity_group_member (user_id)',
    // A copy of `seededGroups` of core, because a released migration must never change.
    `insert into identity_group (id, slug, name, name_key, description, role, is_system, created_at, updated_at)
      select id::uuid, lower(name), name, lower(name), description, role, true, date_trunc('milliseconds', now()),
        date_trunc('milliseconds', now())
      from (values
        ('00000000-0000-4000-9000-000000000001', 'Anonymous', 'Callers without a credential', 'member'),
        ('00000000-0000-4000-9000-000000000002', 'General', 'Everybody who has an account', 'member'),
        ('00000000-0000-4000-9000-000000000003', 'Admin', 'Administrators of the instance', 'instance_admin')
      ) as seeded (id, name, description, role)`,
  ],
};
