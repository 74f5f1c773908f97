// Public exports of the search area: the port of search back ends, and the contents of an index.
export * from './model/backend.ts';
export * from './model/documents.ts';
export * from './model/readable.ts';
export * from './model/symbol.ts';
export { folded, isIndexable } from './query/folded.ts';
export { pathWeight, stemOf } from './query/path-weight.ts';
export { wordsIn } from './query/words.ts';
export { searchAudits } from './model/audits.ts';
export { searchScopes, searchSettings } from './model/scopes.ts';
export type { CodeHit, DefinitionHit, FoundDocument, SectionHits } from './site/hits.ts';
export {
  fixedSections,
  searchSorts,
  type FixedSection,
  type SearchCommand,
  type SearchResult,
} from './site/site-search.ts';
export type { Suggestion } from './site/suggestions.ts';
export { searchBounds } from './query/search-text.ts';
export type { QueuedWork } from './indexing/queue.ts';
