// Queries for files.
import type { Oid } from '#core/repositories/index';
import { commonKinds, type FileHit, type FileQuery, type Found } from '#core/search/index';
import { list, members, number, only, text, type Members } from '../client/answers.ts';
import { anyOf, contains, fileFilters, repositoriesOf, scored, within, type Clause } from './clauses.ts';
import { search, type Asked } from './search.ts';

export const fileFields = ['repository_id', 'key', 'oid', 'language', 'weight'];

/** After the score: short paths first. */
export const byPath = [{ weight: 'desc' }, { key: 'asc' }, { repository_id: 'asc' }];

/** The kinds of matches weigh more than the path, whose weight is from 0 to 100. */
export const scoreOf = (matched: number, weight: number): number => matched * 1000 + weight;

/** Files that define one of the names, with the line of the first definition. */
const defining = (names: readonly string[]): Clause => ({
  nested: {
    path: 'symbols',
    query: {
      bool: {
        filter: [{ terms: { 'symbols.folded': names } }],
        must_not: [{ terms: { 'symbols.kind': [...commonKinds] } }],
      },
    },
    inner_hits: { size: 1, sort: [{ 'symbols.line': 'asc' }], _source: false, docvalue_fields: ['symbols.line'] },
  },
});

export async function findFiles(asked: Asked, query: FileQuery): Promise<Found<FileHit>> {
  const repositories = await repositoriesOf(query);
  if (repositories.length === 0) return { total: 0, hits: [] };
  const terms = query.terms.map((term) => term.toWellFormed());
  const { total, hits } = await search(asked, query.signal, {
    size: query.limit,
    query: {
      bool: {
        filter: [
          { term: { kind: 'file' } },
          within(repositories),
          ...fileFilters(query),
          ...[...terms, ...query.short].map((term) => contains('grams', term)),
        ],
        should: scored([
          [4, defining(terms)],
          [2, { terms: { stem: terms } }],
          [1, anyOf(terms.map((term) => contains('path_grams', term)))],
        ]),
      },
    },
    sort: [{ _score: 'desc' }, ...byPath],
    _source: false,
    docvalue_fields: fileFields,
  });
  return { total, hits: hits.map(fileHit) };
}

function fileHit(hit: Members): FileHit {
  const fields = members(hit['fields']);
  const [first] = innerHits(hit);
  return {
    repositoryId: text(only(fields, 'repository_id')),
    path: text(only(fields, 'key')),
    oid: text(only(fields, 'oid')) as Oid,
    language: text(only(fields, 'language')),
    score: scoreOf(number(hit['_score']), number(only(fields, 'weight'))),
    ...(first !== undefined && { definedAt: number(only(members(members(first)['fields']), 'symbols.line')) }),
  };
}

/** The hits within a hit: definitions of a file. */
export function innerHits(hit: Members): readonly unknown[] {
  const { symbols } = members(hit['inner_hits']);
  return list(members(members(symbols)['hits'])['hits']);
}
