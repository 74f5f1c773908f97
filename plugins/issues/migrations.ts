// The migrations of the plugin "issues", in order. Those of a noun are declared in its folder.
import type { Migration } from 'hexforge/plugin';
import { talk } from './comments/migration.ts';
import { components } from './components/migration.ts';
import { issues } from './issues/migration.ts';
import { search } from './search/migration.ts';
import { types } from './types/migration.ts';

const openCount: Migration = {
  name: '006-open-count',
  up: [
    `create view issues_open as
    select repository_id, count(*) as count from issues_issue where state = 'open' group by repository_id`,
  ],
};

export const tables = [
  'issues_type',
  'issues_type_scheme',
  'issues_issue',
  'issues_number',
  'issues_issue_label',
  'issues_assignee',
  'issues_watcher',
  'issues_component',
  'issues_version',
  'issues_issue_component',
  'issues_issue_version',
  'issues_comment',
  'issues_description_edit',
  'issues_link',
  'issues_open',
];

export const migrations: readonly Migration[] = [types, issues, components, talk, search, openCount];
