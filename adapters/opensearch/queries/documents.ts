// Queries for documents of sections.
import type { DocumentHit, DocumentQuery, Found } from '#core/search/index';
import { list, members, number, only, text, type Members } from '../client/answers.ts';
import { plainWords } from '../indexes/stored.ts';
import { repositoriesOf, within } from './clauses.ts';
import { search, type Asked } from './search.ts';

/** How much more the title weighs than the text. */
const fields = ['title^4', 'text'];
const byKey = [{ key: 'asc' }, { repository_id: 'asc' }];

export async function findDocuments(asked: Asked, query: DocumentQuery): Promise<Found<DocumentHit>> {
  const repositories = await repositoriesOf(query);
  if (repositories.length === 0) return { total: 0, hits: [] };
  const recent = { updated_at: 'desc' };
  const body = {
    size: query.limit,
    query: {
      bool: {
        filter: [{ term: { kind: 'document' } }, { term: { section: query.section } }, within(repositories)],
        must: query.words.map((word) => ({ multi_match: { query: plainWords(word), type: 'phrase', fields } })),
      },
    },
    sort: query.sort === 'recent' ? [recent, ...byKey] : [{ _score: 'desc' }, recent, ...byKey],
    _source: ['source'],
    docvalue_fields: ['repository_id', 'key'],
  };
  const { total, hits } = await search(asked, query.signal, body, { comparable: query.sort === 'relevance' });
  return { total, hits: hits.map(documentHit) };
}

function documentHit(hit: Members): DocumentHit {
  const values = members(hit['fields']);
  return {
    repositoryId: text(only(values, 'repository_id')),
    key: text(only(values, 'key')),
    // The score, or the time of the last update.
    score: number(list(hit['sort'])[0]),
    source: JSON.parse(text(members(hit['_source'])['source'])) as unknown,
  };
}
