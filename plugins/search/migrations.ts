// The migrations of the plugin "search", in order.
import type { Migration } from 'hexforge/plugin';

/** Repositories are plain ids: work for a deleted one removes what is indexed of it. */
const queue: Migration = {
  name: '001-queue',
  up: [
    `create table search_queue (
      repository_id uuid not null,
      section text not null,
      key text not null,
      version uuid not null,
      background boolean not null,
      forced boolean not null,
      queued_at timestamptz not null,
      due_at timestamptz not null,
      attempts integer not null,
      primary key (repository_id, section, key)
    )`,
    'create index search_queue_due on search_queue (background, due_at)',
  ],
};

export const tables = ['search_queue'];

export const migrations: readonly Migration[] = [queue];
