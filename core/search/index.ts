// Public exports of the search area: the port of search back ends, and the contents of an index.
export * from './model/backend.ts';
export * from './model/documents.ts';
export * from './model/readable.ts';
export * from './model/symbol.ts';
export { folded, isIndexable } from './query/folded.ts';
export { pathWeight, stemOf } from './query/path-weight.ts';
