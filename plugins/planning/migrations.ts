// The migrations of labels and milestones.
import type { Migration } from 'hexforge/plugin';

export const tables = ['planning_label', 'planning_milestone'];

/**
 * Keys of names in NFC. Of two names that became equal, the one without that key keeps its own: both are found by their
 * ids.
 */
const normalized = (table: string): string => `
  with renamed as (
    select distinct on (repository_id, normalize(name_key, nfc)) id, normalize(name_key, nfc) as key
    from ${table} where name_key is not nfc normalized
    order by repository_id, normalize(name_key, nfc), id
  )
  update ${table} named set name_key = renamed.key from renamed
  where named.id = renamed.id and not exists (
    select from ${table} other where other.repository_id = named.repository_id and other.name_key = renamed.key
  )`;

export const migrations: readonly Migration[] = [
  {
    name: '001-planning',
    up: [
      `create table planning_label (
      id uuid primary key,
      repository_id uuid not null references repositories_repository (id) on delete cascade,
      name text not null,
      name_key text not null,
      color text not null,
      description text,
      constraint planning_label_name unique (repository_id, name_key)
    )`,
      `create table planning_milestone (
      id uuid primary key,
      repository_id uuid not null references repositories_repository (id) on delete cascade,
      title text not null,
      description text not null,
      due_date date,
      state text not null check (state in ('open', 'closed')),
      created_at timestamptz not null,
      closed_at timestamptz
    )`,
      'create index planning_milestone_due on planning_milestone (repository_id, due_date, created_at, id)',
    ],
  },
  { name: '002-name-keys', up: [normalized('planning_label')] },
];
