// The migrations of accounts, sessions, tokens and user groups, and of the view that other areas may join.
import type { Migration } from 'hexforge/plugin';

const groups: Migration = {
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

export const migrations: readonly Migration[] = [
  {
    name: '001-accounts',
    up: [
      `create table identity_user (
        id uuid primary key,
        username text not null,
        username_key text not null constraint identity_user_username_key unique,
        email text not null,
        email_key text not null constraint identity_user_email_key unique,
        display_name text not null,
        display_name_key text not null,
        bio text not null,
        avatar_url text not null,
        is_admin boolean not null,
        status text not null check (status in ('active', 'suspended')),
        approval text check (approval in ('pending', 'approved', 'rejected')),
        email_verified boolean not null,
        password_hash text not null,
        created_at timestamptz not null,
        last_active_at timestamptz
      )`,
      'create index identity_user_admin on identity_user (id) where is_admin',
      `create table identity_session (
        id uuid primary key,
        user_id uuid not null references identity_user on delete cascade,
        created_at timestamptz not null,
        expires_at timestamptz not null,
        ip text not null,
        user_agent text not null
      )`,
      'create index identity_session_user on identity_session (user_id)',
      'create index identity_session_expiry on identity_session (expires_at)',
      `create table identity_refresh_token (
        hash text primary key,
        session_id uuid not null references identity_session on delete cascade,
        created_at timestamptz not null,
        used_at timestamptz
      )`,
      'create index identity_refresh_token_session on identity_refresh_token (session_id)',
      `create table identity_token (
        id uuid primary key,
        user_id uuid not null references identity_user on delete cascade,
        name text not null,
        hash text not null constraint identity_token_hash_key unique,
        scopes jsonb not null,
        created_at timestamptz not null,
        expires_at timestamptz,
        last_used_at timestamptz
      )`,
      'create index identity_token_user on identity_token (user_id, created_at desc)',
      `create view identity_public_user as
        select id, username, username_key, display_name, avatar_url from identity_user`,
    ],
  },
  groups,
  {
    name: '003-bounds',
    up: [
      'create index identity_refresh_token_age on identity_refresh_token (created_at)',
      // A session may have any number of refresh tokens. Without the foreign key, ending it deletes one row; its tokens
      // become invalid and are pruned by age.
      'alter table identity_refresh_token drop constraint identity_refresh_token_session_id_fkey',
    ],
  },
  {
    name: '004-external-identities',
    up: [
      'alter table identity_user add column is_first boolean not null default false',
      // The first start creates an administrator before anybody else can have an account.
      `update identity_user set is_first = true
        where id = (select id from identity_user where is_admin order by created_at, id limit 1)`,
      `create table identity_external (
        id uuid primary key,
        user_id uuid not null references identity_user on delete cascade,
        provider text not null,
        subject text not null,
        hint text not null,
        created_at timestamptz not null,
        key text not null constraint identity_external_key unique
      )`,
      'create index identity_external_user on identity_external (user_id)',
      `create table identity_used_answer (
        hash text primary key,
        expires_at timestamptz not null
      )`,
      'create index identity_used_answer_expiry on identity_used_answer (expires_at)',
    ],
  },
];
