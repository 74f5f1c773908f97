// The migrations of the administration of the instance.
import type { Migration } from 'hexforge/plugin';

export const migrations: readonly Migration[] = [
  {
    name: '001-grants',
    up: [
      `create table administration_grant (
        user_id uuid not null references identity_user (id) on delete cascade,
        scope text not null,
        granted_by uuid not null,
        created_at timestamptz not null,
        primary key (user_id, scope)
      )`,
      'create index administration_grant_scope on administration_grant (scope, created_at, user_id)',
    ],
  },
  { name: '002-known-plugins', up: ['create table administration_known_plugin (name text primary key)'] },
];
