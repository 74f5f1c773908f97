// The migrations of the plugin "merges", in order. Those of a noun are declared in its folder.
import type { Migration } from 'hexforge/plugin';
import { comments } from './comments/migration.ts';
import { requests } from './requests/migration.ts';

const openCount: Migration = {
  name: '003-open-count',
  up: [
    `create view merges_open as
    select repository_id, count(*) as count from merges_request where state = 'open' group by repository_id`,
  ],
};

export const tables = [
  'merges_request',
  'merges_counter',
  'merges_label',
  'merges_assignee',
  'merges_review',
  'merges_comment',
  'merges_open',
];

export const migrations: readonly Migration[] = [requests, comments, openCount];
