// The JSON shapes of the administration of the index.
import { count, flag, maybe, orNull, shape, word, type IndexingState, type TypeOf } from 'hexforge/plugin';

const size = (of: string) => orNull(count()).description(`${of}; null if the search back end does not tell`);

export const stateJson = shape({
  files: size('In the index that answers'),
  symbols: size('Definitions in it'),
  documents: size('Issues, merge requests and Markdown files in it'),
  bytes: size('On disk'),
  waiting: count().description('Sources and documents that wait to be indexed'),
  lag_seconds: count().description('How long the oldest of them has waited'),
  failing: count().description('Those that failed at least three times; counted up to 1,000'),
  rebuilding: flag().description('Whether a new index is filled, which then replaces the one that answers'),
  symbol_restarts: count().description('How often a file made the reader of definitions restart, since the start'),
}).id('SearchIndexState');

export const reindexBody = shape({
  repository: maybe(word().max(300).description('owner/name; absent: everything')),
});

export const presentState = (state: IndexingState): TypeOf<typeof stateJson> => ({
  files: state.files ?? null,
  symbols: state.symbols ?? null,
  documents: state.documents ?? null,
  bytes: state.bytes ?? null,
  waiting: state.waiting,
  lag_seconds: state.lagSeconds,
  failing: state.failing,
  rebuilding: state.rebuilding,
  symbol_restarts: state.symbolRestarts,
});
