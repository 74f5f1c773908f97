// The OpenSearch adapter: a search back end.
export { openSearch } from './back-end.ts';
