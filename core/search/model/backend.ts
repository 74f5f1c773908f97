// The port `SearchBackend`: an index of code, symbols and documents, and its queries.
import { declarePort } from '#core/kernel/ports';
import type { Oid } from '#core/repositories/index';
import type { IndexChanges, IndexSource, StoredEntry } from './documents.ts';
import type { Readable } from './readable.ts';
import type { SymbolDefinition } from './symbol.ts';

/** The most matches that a total counts. */
export const mostCounted = 1000;

/** The most hits of one query. */
export const mostHits = 100;

/** The common part of all queries. */
export interface Within {
  readonly readable: Readable;
  /** Only these repositories; empty: none. Absent: all readable ones. */
  readonly repositoryIds?: readonly string[] | undefined;
  /** 1 to 100 hits. */
  readonly limit: number;
  readonly signal: AbortSignal;
}

/** The filters of files and symbols. */
export interface FileFilter {
  /** Results of `languageOf`, such as `typescript`; a file has one of them. Empty: all. */
  readonly languages: readonly string[];
  /** Folded texts; the folded path contains each of them. */
  readonly paths: readonly string[];
}

/** A query for files. */
export interface FileQuery extends Within, FileFilter {
  /**
   * 1 to 16 folded texts without line breaks, each of 3 to 256 characters and with three letters or digits in a row. A
   * file matches if its text or its folded path contains each of them, literally.
   */
  readonly terms: readonly string[];
  /**
   * Up to 16 further folded texts, which may be shorter. A file matches only if its text or path contains each of them,
   * too.
   */
  readonly short: readonly string[];
}

/** A query for definitions. Equal definitions in one line are all found. */
export interface SymbolQuery extends Within, FileFilter {
  /**
   * A folded text of 1 to 256 characters. With three letters or digits in a row (`isIndexable`) it matches parts of
   * names, otherwise only whole names.
   */
  readonly name: string;
  /** Empty: all. */
  readonly kinds: readonly SymbolDefinition['kind'][];
}

/** A query for documents of one section. */
export interface DocumentQuery extends Within {
  readonly section: string;
  /**
   * 1 to 16 words or phrases, each with at least one word of `wordsIn`. A document matches if its folded title, or its
   * folded text, has the words of each of them in this order without others between.
   */
  readonly words: readonly string[];
  /** `recent`: most recently updated first. */
  readonly sort: 'relevance' | 'recent';
}

/** Hits in order, best first. */
export interface Found<H> {
  /** The number of all matches that the caller may read, counted up to `mostCounted`. */
  readonly total: number;
  readonly hits: readonly H[];
}

interface Hit {
  readonly repositoryId: string;
  /** Greater is better; comparable within one answer. */
  readonly score: number;
}

/** A file that matches. */
export interface FileHit extends Hit {
  /** The line of the first symbol whose folded name is one of the terms, if the back end knows it. */
  readonly definedAt?: number | undefined;
  readonly path: string;
  readonly oid: Oid;
  readonly language: string;
}

/** A definition that matches. */
export interface SymbolHit extends Hit, SymbolDefinition {
  readonly path: string;
  readonly language: string;
}

/** A document that matches. */
export interface DocumentHit extends Hit {
  readonly key: string;
  readonly source: unknown;
}

/** An index that is being written. */
export interface SearchIndex {
  /** Unique among the indexes of the back end, now and later. */
  readonly id: string;
  /**
   * The text that the last `write` of the source stored with it. Undefined if the source was never written, or was
   * removed.
   */
  state(source: IndexSource): Promise<string | undefined>;
  /**
   * Applies the changes and stores the state. Durable when it resolves. If it rejects, or the process ends, a part of
   * the changes may be stored, and the state is the old or the new one.
   * @param state at most 1,000 characters.
   */
  write(source: IndexSource, changes: IndexChanges, state: string): Promise<void>;
  /** The stored entries of a source, sorted by the bytes of the key (UTF-8), after `after`, at most `limit`. */
  entries(source: IndexSource, after: string | undefined, limit: number): Promise<readonly StoredEntry[]>;
  /** The sources that were written, sorted by repository and section, after `after`, at most `limit`. */
  sources(
    after: IndexSource | undefined,
    limit: number,
  ): Promise<readonly (IndexSource & { readonly state: string })[]>;
  /** Removes a source with its state. Idempotent. */
  remove(source: IndexSource): Promise<void>;
}

/** The size of the index that answers. */
export interface IndexSize {
  readonly files: number;
  readonly symbols: number;
  readonly documents: number;
  /** On disk, if the back end knows it. */
  readonly bytes: number | undefined;
}

/**
 * Stores an index of the contents of repositories and answers queries.
 *
 * A query sees a write at the latest one second after it resolved; `state`, `entries` and `sources` see it at once. A
 * query whose signal is aborted rejects.
 *
 * A query filters by `readable` itself, so that hits and totals contain readable repositories alone, and a change of
 * access counts at once. Documents of repositories that no longer exist are never found. A query that cannot be
 * answered rejects with any error, within 5 seconds.
 *
 * Ranking is exact among the first thousands of matches; a back end may leave out others. Ranking of files, from most
 * to least: the file defines a symbol, of a kind other than `commonKinds`, whose folded name is one of the terms; the
 * file name without its extension is one of the terms; the path contains one; the text does. Among equals, short
 * paths precede long ones, and paths with folders such as `test` or `vendor` are last (`pathWeight`). Ranking of
 * symbols: whole names, then beginnings, then parts; among equals by path, as files.
 */
export interface SearchBackend {
  /** The index that answers queries, and after it the one that a rebuild fills, if there is one. Never empty. */
  indexes(): Promise<readonly SearchIndex[]>;
  /** Makes an empty index beside the one that answers. Does nothing if there is one. */
  beginRebuild(): Promise<void>;
  /** Lets the new index answer and deletes the old one. Does nothing if there is only one. */
  finishRebuild(): Promise<void>;
  files(query: FileQuery): Promise<Found<FileHit>>;
  symbols(query: SymbolQuery): Promise<Found<SymbolHit>>;
  /** All definitions of one file, in the order of their lines. Does not check access. */
  symbolsOf(repositoryId: string, path: string): Promise<readonly SymbolDefinition[]>;
  documents(query: DocumentQuery): Promise<Found<DocumentHit>>;
  size(): Promise<IndexSize>;
}

declare module '#core/kernel/ports' {
  interface OptionalPorts {
    SearchBackend: SearchBackend;
  }
}

declarePort('SearchBackend', {
  arity: 'optional',
  component: 'search back end',
  critical: false,
  absent: 'degraded',
  methods: ['indexes', 'beginRebuild', 'finishRebuild', 'files', 'symbols', 'symbolsOf', 'documents', 'size'],
});
