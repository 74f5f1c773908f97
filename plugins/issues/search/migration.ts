// The indexes of the search: words of title and description, and trigrams of the title.
import type { Migration } from 'hexforge/plugin';

/**
 * Marks of ASCII part words, which is all that they do here: PostgreSQL would take what they are in for a tag, a path, a
 * host or a number with a sign, and keep it whole or leave it out. Not by a regular expression, whose letters are those
 * of the database's locale.
 */
const marks = String.raw`!"#$%&''()*+,-./:;<=>?@[\]^_{|}~` + '`';
const parted = (column: string): string => `translate(${column}, '${marks}', repeat(' ', 32))`;

export const search: Migration = {
  name: '005-search',
  up: [
    // `simple` knows no language: it finds words of any, in the form in which they are written, and drops none.
    `alter table issues_issue add column search tsvector not null generated always as (
      setweight(to_tsvector('simple', ${parted('title_key')}), 'A') ||
      setweight(to_tsvector('simple', ${parted('description')}), 'D')
    ) stored`,
    'create index issues_issue_search on issues_issue using gin (search)',
    'create index issues_issue_title on issues_issue using gin (title_key gin_trgm_ops)',
  ],
};
