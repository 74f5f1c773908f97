// The search back end of the contract suite, for specs that need one that passes.
export { memorySearchBackend } from '../contracts/search/memory-search-backend.ts';
