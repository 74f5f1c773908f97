// Files, documents and sources as OpenSearch stores them.
import { createHash } from 'node:crypto';
import {
  folded,
  pathWeight,
  stemOf,
  wordsIn,
  type IndexedFile,
  type IndexSource,
  type SectionDocument,
  type SymbolDefinition,
} from '#core/search/index';
import { ending, type Field } from './schema.ts';

export type Stored = Partial<Record<Field, unknown>>;

/** An operation on one stored document. Without `stored` it is a deletion. */
export interface Operation {
  readonly id: string;
  readonly stored?: Stored;
}

/** Longer names are kept with their file and are not found. */
const longestName = 1000;

/** Keys may be longer than an `_id` can be. */
const digest = (...parts: readonly string[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('base64url');

export const entryId = ({ section, repositoryId }: IndexSource, key: string): string =>
  digest('entry', section, repositoryId, key);

export const sourceId = ({ section, repositoryId }: IndexSource): string => digest('source', section, repositoryId);

const common = (kind: 'file' | 'document' | 'source', { section, repositoryId }: IndexSource): Stored => ({
  kind,
  section,
  repository_id: repositoryId,
});

/** The content of a file, which OpenSearch returns, so that the file can be stored under another path. */
export interface FileContent {
  readonly oid: string;
  readonly text: string;
  readonly symbols: readonly SymbolDefinition[];
}

export function fileOperation(
  source: IndexSource,
  { path, language }: Pick<IndexedFile, 'path' | 'language'>,
  { oid, text, symbols }: FileContent,
): Operation {
  const named = symbols.map((symbol) => ({ symbol, name: folded(symbol.name.toWellFormed()) }));
  const foldedPath = folded(path.toWellFormed());
  return {
    id: entryId(source, path),
    stored: {
      ...common('file', source),
      key: path.toWellFormed(),
      oid,
      language,
      bytes: Buffer.byteLength(text),
      weight: pathWeight(path),
      grams: `${foldedPath}\n${text.toWellFormed()}${ending}`,
      path_grams: `${foldedPath}${ending}`,
      stem: stemOf(foldedPath),
      symbols: named.map(({ symbol: { name, kind, line, signature }, name: foldedName }) => ({
        name: name.toWellFormed(),
        kind,
        line,
        signature: signature.toWellFormed(),
        ...(name.length > longestName ? {} : { folded: foldedName, grams: `\n${foldedName}` }),
      })),
      symbol_count: symbols.length,
    },
  };
}

/** The text of a stored file. */
export const textOf = (path: string, grams: string): string =>
  grams.slice(folded(path.toWellFormed()).length + 1, grams.length - ending.length);

/** The words of a folded text. OpenSearch splits them at blanks. */
export const plainWords = (text: string): string => wordsIn(folded(text.toWellFormed())).join(' ');

export function documentOperation(source: IndexSource, document: SectionDocument): Operation {
  return {
    id: entryId(source, document.key),
    stored: {
      ...common('document', source),
      key: document.key.toWellFormed(),
      title: plainWords(document.title),
      text: plainWords(document.text),
      updated_at: document.updatedAt.getTime(),
      source: JSON.stringify(document.source),
    },
  };
}

export interface StoredSource {
  /** Undefined until the first write has ended. */
  readonly state: string | undefined;
  readonly removing: boolean;
}

export const sourceOperation = (source: IndexSource, { state, removing }: StoredSource): Operation => ({
  id: sourceId(source),
  stored: { ...common('source', source), ...(state === undefined ? {} : { state }), removing },
});
