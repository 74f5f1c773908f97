// The migrations of the plugin "search-sql", in order.
import type { Migration } from 'hexforge/plugin';

/**
 * The ids of repositories are plain: a cascade would delete the index of a large repository in the transaction that
 * deletes the repository. Queries join the readable repositories, and the indexing removes the rows later.
 */
const index: Migration = {
  name: '001-index',
  up: [
    // Null: replaced by another one, and being deleted.
    `create table search_sql_index (
      id integer generated always as identity primary key,
      serving boolean,
      constraint search_sql_index_serving unique (serving)
    )`,
    'insert into search_sql_index (serving) values (true)',
    `create table search_sql_source (
      index_id integer not null references search_sql_index (id) on delete cascade,
      repository_id uuid not null,
      section text collate "C" not null,
      state text not null,
      primary key (index_id, repository_id, section)
    )`,
    `create table search_sql_file (
      id bigint generated always as identity primary key,
      index_id integer not null references search_sql_index (id) on delete cascade,
      repository_id uuid not null,
      path text collate "C" not null,
      path_key text not null,
      stem text not null,
      oid text not null,
      language text not null,
      weight smallint not null,
      constraint search_sql_file_path unique (index_id, repository_id, path)
    )`,
    'create index search_sql_file_path_key on search_sql_file using gin (path_key gin_trgm_ops)',
    'create index search_sql_file_stem on search_sql_file using hash (stem)',
    // A file is stored in pieces of whole lines. A piece has few trigrams, so that few pieces have to be read that have
    // all trigrams of a text but not the text.
    `create table search_sql_piece (
      file_id bigint not null references search_sql_file (id) on delete cascade,
      index_id integer not null,
      repository_id uuid not null,
      text text not null
    )`,
    'create index search_sql_piece_file on search_sql_piece (file_id)',
    // A short list of pending entries, so that no single statement has to insert many of them.
    'create index search_sql_piece_text on search_sql_piece using gin (text gin_trgm_ops) with (gin_pending_list_limit = 512)',
    `create table search_sql_symbol (
      file_id bigint not null references search_sql_file (id) on delete cascade,
      position integer not null,
      index_id integer not null,
      repository_id uuid not null,
      name text not null,
      name_key text not null,
      kind text not null,
      line integer not null,
      signature text not null,
      primary key (file_id, position)
    )`,
    'create index search_sql_symbol_name on search_sql_symbol using hash (name_key)',
    'create index search_sql_symbol_name_key on search_sql_symbol using gin (name_key gin_trgm_ops)',
    `create table search_sql_document (
      index_id integer not null references search_sql_index (id) on delete cascade,
      section text collate "C" not null,
      repository_id uuid not null,
      key text collate "C" not null,
      updated_at timestamptz not null,
      source text not null,
      plain text not null,
      words tsvector not null,
      primary key (index_id, section, repository_id, key)
    )`,
    'create index search_sql_document_words on search_sql_document using gin (words)',
  ],
};

export const tables = [
  'search_sql_index',
  'search_sql_source',
  'search_sql_file',
  'search_sql_piece',
  'search_sql_symbol',
  'search_sql_document',
];

export const migrations: readonly Migration[] = [index];
