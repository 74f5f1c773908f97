// The contents of an index: the files of default branches with their symbols, and documents of sections.
import type { Oid } from '#core/repositories/index';
import type { SymbolDefinition } from './symbol.ts';

/** A file of the default branch of a repository. Its path identifies it within the repository. */
export interface IndexedFile {
  /** At most 2,000 bytes of UTF-8. */
  readonly path: string;
  /** The blob. Two files with the same oid have the same content. */
  readonly oid: Oid;
  /** The result of `languageOf`; '' if unknown. */
  readonly language: string;
  /** The bytes of the blob. */
  readonly size: number;
  /**
   * The content in the form of `folded`, at most 1 MiB of UTF-8. Search texts never contain a line break, so a match is
   * always within one line.
   */
  readonly text: string;
  /** In the order of their lines; at most 2,000. */
  readonly symbols: readonly SymbolDefinition[];
}

/** A file that has another path and the same content. The text and the symbols stay. */
export interface MovedFile {
  readonly from: string;
  readonly to: string;
  /** The language of the new path. */
  readonly language: string;
}

/** A document of a section other than code, such as an issue. */
export interface SectionDocument {
  /** Unique within the section and the repository; at most 2,000 bytes of UTF-8. */
  readonly key: string;
  /** At most 1,000 characters. Weighs more than the text. */
  readonly title: string;
  /** At most 64 Ki characters. */
  readonly text: string;
  readonly updatedAt: Date;
  /** Plain JSON of at most 16 KiB, returned unchanged with a hit. */
  readonly source: unknown;
}

/** A part of an index that is filled and removed as one: a section of a repository. */
export interface IndexSource {
  /** `code` for files and their symbols, otherwise the name of a section of documents, such as `issues`. */
  readonly section: string;
  readonly repositoryId: string;
}

/** The section of files and symbols. */
export const codeSection = 'code';

/**
 * Changes of one source. Each except `moved` is idempotent. No path or key occurs twice in one write, and no text has
 * U+0000 or a lone surrogate.
 */
export interface IndexChanges {
  /** Files to store, instead of stored ones with the same paths. Only for the section `code`. */
  readonly files?: readonly IndexedFile[];
  /** Applied before `files`. A move of a file that is not stored, or to a path that is stored, is an error. */
  readonly moved?: readonly MovedFile[];
  /** Documents to store, instead of stored ones with the same keys. Not for the section `code`. */
  readonly documents?: readonly SectionDocument[];
  /** Paths of files, or keys of documents, to remove before anything else. Unknown ones are ignored. */
  readonly removed?: readonly string[];
}

/** A stored file or document. */
export interface StoredEntry {
  /** The path of a file, or the key of a document. */
  readonly key: string;
  /** The oid of a file; '' for a document. */
  readonly oid: string;
}
