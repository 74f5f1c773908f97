// The migrations of rate limits.
import type { Migration } from 'hexforge/plugin';

const rule = `
  requests_per_window integer not null,
  window_seconds integer not null,
  burst integer not null,
  action text not null,
  enabled boolean not null`;

export const migrations: readonly Migration[] = [
  {
    name: '001-limits',
    up: [
      // Groups and targets are plain ids. When they are deleted, an event or a job removes these rows.
      `create table limits_budget (group_id uuid not null, scope text not null, ${rule}, primary key (group_id, scope))`,
      `create table limits_override (
        kind text not null,
        target_id uuid not null,
        scope text not null,
        ${rule},
        reason text not null,
        updated_at timestamptz not null,
        primary key (kind, target_id, scope)
      )`,
      `create table limits_violation (
        id uuid primary key,
        at timestamptz not null,
        subject text not null,
        scope text not null,
        "limit" integer not null,
        path text not null,
        method text not null,
        ip text not null,
        window_start timestamptz not null,
        constraint limits_violation_window_key unique (subject, scope, window_start)
      )`,
      'create index limits_violation_at on limits_violation (at desc, id desc)',
    ],
  },
  {
    name: '002-set-by',
    up: ['alter table limits_override add column by_admin boolean not null default true'],
  },
];
