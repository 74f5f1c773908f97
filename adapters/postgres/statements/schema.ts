// The schema of the system's own tables, named `hexforge_…`, with its migrations.
import type { Generated, GeneratedAlways } from 'kysely';
import type { Migration } from './database.ts';

/** Committed events, pruned some days after the commit once no delivery of them remains. */
interface EventTable {
  /** Rises in commit order within one aggregate. */
  position: GeneratedAlways<number>;
  id: string;
  type: string;
  aggregate: string;
  actor_id: string | null;
  /** JSON as text: unlike `jsonb` it can store every JavaScript string. */
  payload: string;
  at: Date;
  /** Whether its deliveries were written. */
  routed: Generated<boolean>;
  /** The owner, as `EventOwners` returns it. */
  owner: Generated<string>;
}

/** One undelivered event of one durable handler. The row is deleted when the handler has succeeded. */
interface DeliveryTable {
  plugin: string;
  subscription: string;
  position: number;
  /** Handler and aggregate: events of one chain are delivered in order. */
  chain: string;
  /** The owner of the event. Owners share the delivery fairly. */
  owner: Generated<string>;
  attempts: Generated<number>;
  /** Set when an attempt failed: until then no event of the chain is delivered. */
  retry_at: Date | null;
  last_error: string | null;
  /** Set when the last attempt failed: the event is a dead letter and no longer blocks its chain. */
  dead_at: Date | null;
}

/** Durable subscriptions, kept while their plugin is off: deliveries are written for each of them. */
interface SubscriptionTable {
  plugin: string;
  name: string;
  type: string;
  /** Events that were discarded because the plugin was off for too long. */
  missed: Generated<number>;
}

interface IntentTable {
  id: string;
  sequence: GeneratedAlways<number>;
  kind: string;
  subject: string;
  detail: string;
  process_id: string;
  opened_at: Date;
}

/** Processes that opened intents; each renews its row while it is alive. */
interface ProcessTable {
  id: string;
  host: string;
  pid: number;
  started: string;
  renewed_at: Date;
}

interface MigrationTable {
  plugin: string;
  name: string;
  sha256: string;
  applied_at: Generated<Date>;
}

/** The owner of each table and view, as of the last migrations, kept while the plugin is off or removed. */
interface TableTable {
  name: string;
  plugin: string;
}

export interface SystemTables {
  hexforge_event: EventTable;
  hexforge_delivery: DeliveryTable;
  hexforge_subscription: SubscriptionTable;
  hexforge_intent: IntentTable;
  hexforge_process: ProcessTable;
  hexforge_migration: MigrationTable;
  hexforge_table: TableTable;
}

/** Created before any migration, because it records the migrations. */
export const migrationTable = `
  create table if not exists hexforge_migration (
    plugin text not null, name text not null, sha256 text not null, applied_at timestamptz not null default now(),
    primary key (plugin, name)
  )`;

export const systemMigrations: readonly Migration[] = [
  {
    name: '001-outbox',
    up: [
      `create table hexforge_event (
        position bigint generated always as identity primary key,
        id uuid not null unique, type text not null, aggregate text not null, actor_id text, payload text not null,
        at timestamptz not null, routed boolean not null default false
      )`,
      'create index hexforge_event_unrouted on hexforge_event (position) where not routed',
      'create index hexforge_event_at on hexforge_event (at)',
      `create table hexforge_delivery (
        plugin text not null, subscription text not null, position bigint not null, chain text not null,
        attempts integer not null default 0, retry_at timestamptz, last_error text, dead_at timestamptz,
        primary key (plugin, subscription, position)
      )`,
      'create index hexforge_delivery_position on hexforge_delivery (position)',
      'create index hexforge_delivery_waiting on hexforge_delivery (chain) where dead_at is null and retry_at is not null',
    ],
  },
  {
    name: '002-intents',
    up: [
      `create table hexforge_intent (
        id uuid primary key, sequence bigint generated always as identity, kind text not null, subject text not null,
        detail text not null, process_id uuid not null, opened_at timestamptz not null
      )`,
      'create index hexforge_intent_kind on hexforge_intent (kind, sequence)',
      `create table hexforge_process (
        id uuid primary key, host text not null, pid integer not null, started text not null, renewed_at timestamptz not null
      )`,
    ],
  },
  {
    name: '003-tables',
    up: ['create table hexforge_table (name text primary key, plugin text not null)'],
  },
  {
    name: '003-subscriptions',
    up: [
      `create table hexforge_subscription (
        plugin text not null, name text not null, type text not null, missed bigint not null default 0,
        primary key (plugin, name)
      )`,
      'create index hexforge_delivery_due on hexforge_delivery (plugin, subscription, position) where dead_at is null',
      'create index hexforge_delivery_parked on hexforge_delivery (plugin, dead_at) where dead_at is not null',
    ],
  },
  {
    name: '004-fair-delivery',
    up: [
      `alter table hexforge_delivery add column owner text collate "C" not null default '0'`,
      'create index hexforge_delivery_owner on hexforge_delivery (plugin, subscription, owner, position) where dead_at is null',
      'create index hexforge_delivery_chain on hexforge_delivery (chain, position) where dead_at is null',
    ],
  },
  {
    name: '005-owners-of-events',
    up: [
      `alter table hexforge_event add column owner text collate "C" not null default 'server'`,
      `update hexforge_event set owner = 'user:' || actor_id where not routed and actor_id is not null`,
      'create index hexforge_event_owner on hexforge_event (owner, position) where not routed',
      'create index hexforge_event_aggregate on hexforge_event (aggregate, position) where not routed',
      `update hexforge_delivery set owner = 'server' where owner not like 'user %'`,
      'drop index hexforge_delivery_owner',
      `create index hexforge_delivery_owner on hexforge_delivery
        (((plugin || ' ' || subscription || ' ' || owner) collate "C"), chain, position) where dead_at is null`,
    ],
  },
];
