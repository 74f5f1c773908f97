// The migration of the search indexes: words of title and description, and trigrams of the title.
import type { Migration } from 'hexforge/plugin';

export const search: Migration = {
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
