// The schema of this plugin, step by step; each noun has the steps of its tables beside its stores.
import type { Migration } from 'hexforge/plugin';
import { comments } from './comments/migration.ts';
import { requests } from './requests/migration.ts';

export const tables = [
  'merges_request',
  'merges_counter',
  'merges_label',
  'merges_assignee',
  'merges_review',
  'merges_comment',
];

export const migrations: readonly Migration[] = [requests, comments];
