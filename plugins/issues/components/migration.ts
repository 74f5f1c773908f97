// The migration of components and versions, and of their associations with issues.
import type { Migration } from 'hexforge/plugin';

const named = (table: string, more = ''): string => `create table ${table} (
  id uuid primary key,
  repository_id uuid not null references repositories_repository (id) on delete cascade,
  name text not null,
  name_key text not null,
  description text not null,${more}
  constraint ${table}_name unique (repository_id, name_key)
)`;

export const components: Migration = {
  name: '003-components',
  up: [
    named('issues_component'),
    named('issues_version', ' released boolean not null, release_date date,'),
    `create table issues_issue_component (
      issue_id uuid not null references issues_issue (id) on delete cascade,
      component_id uuid not null references issues_component (id) on delete cascade,
      primary key (issue_id, component_id)
    )`,
    'create index issues_issue_component_component on issues_issue_component (component_id)',
    `create table issues_issue_version (
      issue_id uuid not null references issues_issue (id) on delete cascade,
      kind text not null check (kind in ('fix', 'affects')),
      version_id uuid not null references issues_version (id) on delete cascade,
      primary key (issue_id, kind, version_id)
    )`,
    'create index issues_issue_version_version on issues_issue_version (version_id, kind)',
  ],
};
