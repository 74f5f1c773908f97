// Queries for definitions. They are stored within their files.
import { Unavailable } from '#core/kernel/errors';
import { isIndexable, type Found, type SymbolDefinition, type SymbolHit, type SymbolQuery } from '#core/search/index';
import { list, members, number, only, text, type Members } from '../client/answers.ts';
import { symbolsIn } from '../indexes/moves.ts';
import { entryId } from '../indexes/stored.ts';
import { contains, fileFilters, repositoriesOf, scored, within, type Clause } from './clauses.ts';
import { byPath, fileFields, innerHits, scoreOf } from './files.ts';
import { counted, search, type Asked } from './search.ts';

const fields = ['name', 'kind', 'line', 'signature'] as const;
/** The maximum that an index returns of one file (`index.max_inner_result_window`). */
const mostOfOneFile = 100;

/** Whole names, then beginnings, then parts. */
function named(name: string): Clause {
  const whole = { term: { 'symbols.folded': name } };
  const parts: readonly (readonly [number, Clause])[] = [
    [2, contains('symbols.grams', `\n${name}`)],
    [1, contains('symbols.grams', name)],
  ];
  return { dis_max: { queries: scored([[4, whole], ...(isIndexable(name) ? parts : [])]) } };
}

/**
 * The files with the best definitions contain the best definitions: if a file is not among the first `limit` files,
 * each of these has a definition that is at least as good.
 */
export async function findSymbols(asked: Asked, query: SymbolQuery): Promise<Found<SymbolHit>> {
  const repositories = await repositoriesOf(query);
  if (repositories.length === 0) return { total: 0, hits: [] };
  const filter = query.kinds.length === 0 ? [] : [{ terms: { 'symbols.kind': query.kinds } }];
  const matching = { bool: { must: named(query.name.toWellFormed()), filter } };
  const { hits, aggregations } = await search(asked, query.signal, {
    size: query.limit,
    query: {
      bool: {
        filter: [{ term: { kind: 'file' } }, within(repositories), ...fileFilters(query)],
        must: {
          nested: {
            path: 'symbols',
            score_mode: 'max',
            query: matching,
            inner_hits: {
              size: Math.min(query.limit, mostOfOneFile),
              sort: [{ _score: 'desc' }, { 'symbols.line': 'asc' }],
              _source: false,
              docvalue_fields: fields.map((field) => `symbols.${field}`),
            },
          },
        },
      },
    },
    aggregations: { symbols: { nested: { path: 'symbols' }, aggregations: { matching: { filter: matching } } } },
    sort: [{ _score: 'desc' }, ...byPath],
    track_total_hits: false,
    _source: false,
    docvalue_fields: fileFields,
  });
  const { matching: all } = members(aggregations['symbols']);
  return {
    total: counted(number(members(all)['doc_count'])),
    hits: hits.flatMap(symbolHits).toSorted(better).slice(0, query.limit),
  };
}

function symbolHits(hit: Members): SymbolHit[] {
  const file = members(hit['fields']);
  return innerHits(hit).map((value) => {
    const symbol = members(value);
    const read = members(symbol['fields']);
    return {
      repositoryId: text(only(file, 'repository_id')),
      path: text(only(file, 'key')),
      language: text(only(file, 'language')),
      name: text(only(read, 'symbols.name')),
      kind: text(only(read, 'symbols.kind')) as SymbolDefinition['kind'],
      line: number(only(read, 'symbols.line')),
      signature: text(only(read, 'symbols.signature')),
      score: scoreOf(number(list(symbol['sort'])[0]), number(only(file, 'weight'))),
    };
  });
}

function better(a: SymbolHit, b: SymbolHit): number {
  if (a.score !== b.score) return b.score - a.score;
  if (a.path !== b.path) return a.path < b.path ? -1 : 1;
  if (a.repositoryId !== b.repositoryId) return a.repositoryId < b.repositoryId ? -1 : 1;
  return a.line - b.line;
}

/** The definitions of one file, as of the last write. */
export async function symbolsOfFile(
  { node, alias, ms }: Asked,
  repositoryId: string,
  path: string,
): Promise<readonly SymbolDefinition[]> {
  const { status, body } = await node.ask({
    method: 'GET',
    path: [alias, '_doc', entryId({ section: 'code', repositoryId }, path)],
    query: { routing: repositoryId, _source_includes: 'symbols' },
    ms,
    ignore: [404],
  });
  const { found, _source: source } = members(body);
  if (status !== 404) return symbolsIn(members(source));
  if (found === false) return [];
  throw new Unavailable('The search index is missing in OpenSearch');
}
