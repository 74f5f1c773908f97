// The migration of issue types and of the type schemes of repositories, with the built-in types.
import type { Migration } from 'hexforge/plugin';

export const types: Migration = {
  name: '001-types',
  up: [
    `create table issues_type (
      id uuid primary key,
      name text not null,
      display_name text not null,
      description text not null,
      color text not null,
      icon text not null,
      is_subtask boolean not null,
      position integer not null,
      constraint issues_type_name unique (name)
    )`,
    `create table issues_type_scheme (
      repository_id uuid not null references repositories_repository (id) on delete cascade,
      type_id uuid not null references issues_type (id) on delete cascade,
      position integer not null,
      primary key (repository_id, type_id)
    )`,
    'create index issues_type_scheme_type on issues_type_scheme (type_id)',
    // A copy of `builtInTypes` of core, because a released migration must never change.
    `insert into issues_type (id, position, name, display_name, color, icon, is_subtask, description) values
      ('00000000-0000-4000-8000-000000000001', 1, 'epic', 'Epic', '8250df', 'epic', false, 'A body of work that is made of many issues'),
      ('00000000-0000-4000-8000-000000000002', 2, 'story', 'Story', '2da44e', 'story', false, 'What a user wants to be able to do'),
      ('00000000-0000-4000-8000-000000000003', 3, 'task', 'Task', '0969da', 'task', false, 'A piece of work'),
      ('00000000-0000-4000-8000-000000000004', 4, 'analysis', 'Analysis', '1b7c83', 'analysis', false, 'A question to be looked into'),
      ('00000000-0000-4000-8000-000000000005', 5, 'bug', 'Bug', 'cf222e', 'bug', false, 'Something does not work as it should'),
      ('00000000-0000-4000-8000-000000000006', 6, 'feature', 'Feature', 'bf8700', 'feature', false, 'Something that is missing'),
      ('00000000-0000-4000-8000-000000000007', 7, 'support', 'Support', '6e7781', 'support', false, 'Somebody needs help')`,
  ],
};
