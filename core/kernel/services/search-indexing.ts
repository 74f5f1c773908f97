// The port by which operators see and restart the indexing of the search.
import { declarePort } from '../ports.ts';

/** The state of the indexing. */
export interface IndexingState {
  /** In the index that answers; undefined if the back end does not answer. */
  readonly files: number | undefined;
  readonly symbols: number | undefined;
  readonly documents: number | undefined;
  /** On disk. */
  readonly bytes: number | undefined;
  /** Sources and documents that wait to be indexed. */
  readonly waiting: number;
  /** Seconds since the oldest of them was queued. */
  readonly lagSeconds: number;
  /** Those that failed at least three times. */
  readonly failing: number;
  /** Whether a new index is being filled. */
  readonly rebuilding: boolean;
  /** How often the reader of symbols was restarted because of a file, since the start of this process. */
  readonly symbolRestarts: number;
}

/** The indexing of the search. */
export interface SearchIndexing {
  state(): Promise<IndexingState>;
  /**
   * Queues everything to be read again: one repository, or all into a new index that replaces the one that answers when
   * it is whole.
   * @param path `owner/name`; undefined for all.
   * @throws {NotFound} for an unknown repository, or without a search back end.
   */
  reindex(path: string | undefined): Promise<void>;
}

declare module '../ports.ts' {
  interface OptionalPorts {
    SearchIndexing: SearchIndexing;
  }
}

declarePort('SearchIndexing', {
  arity: 'optional',
  component: 'indexing of the search (plugin "search")',
  critical: false,
  absent: 'degraded',
  methods: ['state', 'reindex'],
});
