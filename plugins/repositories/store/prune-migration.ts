// The schema of pruning: when a repository is to be pruned next, if at all.
import type { Migration } from 'hexforge/plugin';

export const pruneMigration: Migration = {
  name: '004-prune',
  up: [
    'alter table repositories_repository add column prune_at timestamptz',
    // What earlier pushes left goes too.
    `update repositories_repository set prune_at = updated_at + interval '14 days'`,
    'create index repositories_repository_prune on repositories_repository (prune_at, id) where prune_at is not null',
  ],
};
