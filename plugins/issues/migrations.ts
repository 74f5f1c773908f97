// The migrations of the plugin "issues", in order.
import type { Migration } from 'hexforge/plugin';

const types: Migration = {
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

const ofUser = (table: string): readonly string[] => [
  `create table ${table} (
    issue_id uuid not null references issues_issue (id) on delete cascade,
    user_id uuid not null references identity_user (id) on delete cascade,
    primary key (issue_id, user_id)
  )`,
  `create index ${table}_user on ${table} (user_id)`,
];

/** An index that returns a list filtered by the column in the order of numbers. */
const filtered = (column: string): string =>
  `create index issues_issue_${column} on issues_issue (repository_id, ${column}, number)`;

/** A partial index, because few issues have a value. */
const bounded = (column: string): string =>
  `create index issues_issue_${column} on issues_issue (repository_id, ${column}) where ${column} is not null`;

const issues: Migration = {
  name: '002-issues',
  up: [
    `create table issues_issue (
      id uuid primary key,
      repository_id uuid not null references repositories_repository (id) on delete cascade,
      number integer not null,
      author_id uuid not null references identity_user (id) on delete restrict,
      title text not null,
      title_key text not null,
      title_words text not null,
      description text not null,
      description_words text not null,
      state text not null check (state in ('open', 'closed')),
      status text not null check (status in ('queued', 'in_progress', 'blocked', 'completed', 'canceled')),
      priority text not null check (priority in ('none', 'low', 'medium', 'high', 'critical')),
      locked boolean not null,
      closed_at timestamptz,
      created_at timestamptz not null,
      updated_at timestamptz not null,
      type_id uuid not null references issues_type (id) on delete restrict,
      parent_id uuid references issues_issue (id) on delete set null,
      due_date date,
      milestone_id uuid,
      story_points bigint,
      input_tokens bigint,
      output_tokens bigint,
      assumptions text,
      acceptance_criteria text,
      constraint issues_issue_number unique (repository_id, number)
    )`,
    ...['state', 'status', 'priority', 'type_id'].map(filtered),
    ...['due_date', 'story_points', 'input_tokens', 'output_tokens'].map(bounded),
    'create index issues_issue_author on issues_issue (author_id)',
    'create index issues_issue_type on issues_issue (type_id)',
    'create index issues_issue_parent on issues_issue (parent_id, number) where parent_id is not null',
    'create index issues_issue_milestone on issues_issue (milestone_id, state) where milestone_id is not null',
    // The last number that was given. Its row is locked until the transaction that inserts the issue ends.
    `create table issues_number (
      repository_id uuid primary key references repositories_repository (id) on delete cascade,
      last integer not null
    )`,
    `create table issues_issue_label (
      issue_id uuid not null references issues_issue (id) on delete cascade,
      label_id uuid not null,
      primary key (issue_id, label_id)
    )`,
    'create index issues_issue_label_label on issues_issue_label (label_id)',
    ...ofUser('issues_assignee'),
    ...ofUser('issues_watcher'),
  ],
};

const named = (table: string, more = ''): string => `create table ${table} (
  id uuid primary key,
  repository_id uuid not null references repositories_repository (id) on delete cascade,
  name text not null,
  name_key text not null,
  description text not null,${more}
  constraint ${table}_name unique (repository_id, name_key)
)`;

const components: Migration = {
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

const ofIssue = (column = 'issue_id') => `${column} uuid not null references issues_issue (id) on delete cascade`;
const byUser = (column: string) => `${column} uuid not null references identity_user (id) on delete restrict`;

const talk: Migration = {
  name: '004-talk',
  up: [
    `create table issues_comment (
      id uuid primary key,
      ${ofIssue()},
      ${byUser('author_id')},
      body text not null,
      created_at timestamptz not null,
      updated_at timestamptz not null
    )`,
    'create index issues_comment_issue on issues_comment (issue_id, created_at, id)',
    'create index issues_comment_author on issues_comment (author_id)',
    `create table issues_description_edit (
      id uuid primary key,
      ${ofIssue()},
      body_before text not null,
      body_after text not null,
      ${byUser('edited_by')},
      edited_at timestamptz not null
    )`,
    'create index issues_description_edit_issue on issues_description_edit (issue_id, edited_at, id)',
    'create index issues_description_edit_editor on issues_description_edit (edited_by)',
    `create table issues_link (
      id uuid primary key,
      ${ofIssue('source_id')},
      ${ofIssue('target_id')},
      type text not null check (type in ('blocks', 'relates_to', 'duplicates')),
      created_at timestamptz not null,
      constraint issues_link_ends unique (source_id, type, target_id),
      check (source_id <> target_id)
    )`,
    'create index issues_link_target on issues_link (target_id, type)',
  ],
};

const search: Migration = {
  name: '005-search',
  up: [
    // The columns contain normalized words in lower case. The configuration `simple` is independent of language: it
    // neither stems words nor drops any.
    `alter table issues_issue add column search tsvector not null generated always as (
      setweight(to_tsvector('simple', title_words), 'A') || setweight(to_tsvector('simple', description_words), 'D')
    ) stored`,
    'create index issues_issue_search on issues_issue using gin (search)',
    'create index issues_issue_title on issues_issue using gin (title_key gin_trgm_ops)',
  ],
};

const openCount: Migration = {
  name: '006-open-count',
  up: [
    `create view issues_open as
    select repository_id, count(*) as count from issues_issue where state = 'open' group by repository_id`,
  ],
};

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

const nameKeys: Migration = {
  name: '007-name-keys',
  up: [normalized('issues_component'), normalized('issues_version')],
};

/** The newest open issues of a user, whose issues may be most of all. */
const openOfAuthor: Migration = {
  name: '008-open-of-author',
  up: ["create index issues_issue_open_author on issues_issue (author_id, created_at desc, id) where state = 'open'"],
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

export const migrations: readonly Migration[] = [
  types,
  issues,
  components,
  talk,
  search,
  openCount,
  nameKeys,
  openOfAuthor,
];
