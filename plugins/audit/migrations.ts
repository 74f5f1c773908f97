// The migrations of the audit log.
import type { Migration } from 'hexforge/plugin';

export const migrations: readonly Migration[] = [
  {
    name: '001-entries',
    up: [
      `create table audit_entry (
        id bigint generated always as identity primary key,
        actor_id uuid,
        actor_username text,
        action text not null,
        resource text not null,
        ip text not null,
        user_agent text not null,
        details jsonb not null,
        at timestamptz not null
      )`,
      // The list is read newest first, optionally by actor or by a prefix of the action.
      'create index audit_entry_actor on audit_entry (actor_username, id desc)',
      'create index audit_entry_action on audit_entry (action text_pattern_ops, id desc)',
      'create index audit_entry_at on audit_entry (at)',
    ],
  },
  {
    name: '002-actors',
    // Actors are matched in any case.
    up: [
      'drop index audit_entry_actor',
      'create index audit_entry_actor on audit_entry (lower(actor_username collate "C"), id desc)',
    ],
  },
  {
    name: '003-trail',
    up: ['create index audit_entry_resource on audit_entry (resource, id desc)'],
  },
  {
    name: '004-counts',
    up: [
      // These indexes contain every column that a count needs.
      'drop index audit_entry_actor',
      'create index audit_entry_actor on audit_entry (lower(actor_username collate "C"), id desc) include (actor_username)',
      'drop index audit_entry_at',
      'create index audit_entry_at on audit_entry (at, id)',
      // One row: `entries` is the number of entries up to the id `through`, `last` the newest id when that was
      // computed.
      `create table audit_count (
        through bigint not null, entries bigint not null, last bigint not null, at timestamptz not null
      )`,
      "insert into audit_count values (0, 0, 0, timestamptz 'epoch')",
    ],
  },
];
