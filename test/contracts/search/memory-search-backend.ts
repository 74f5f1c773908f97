// A search back end in memory that scans everything for each query, as an example for authors of others.
import { Buffer } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import { Conflict } from '#core/kernel/errors';
import {
  commonKinds,
  folded,
  isIndexable,
  mostCounted,
  pathWeight,
  stemOf,
  wordsIn,
  type FileFilter,
  type FileHit,
  type FileQuery,
  type Found,
  type IndexChanges,
  type IndexedFile,
  type IndexSource,
  type SearchBackend,
  type SearchIndex,
  type SectionDocument,
  type SymbolHit,
  type SymbolQuery,
  type Within,
} from '#core/search/index';

/** The contents of a source. */
interface Stored {
  readonly source: IndexSource;
  state: string;
  readonly files: Map<string, IndexedFile>;
  readonly documents: Map<string, SectionDocument>;
}

interface MemoryIndex extends SearchIndex {
  readonly stored: Map<string, Stored>;
}

const byBytes = (one: string, other: string): number => Buffer.compare(Buffer.from(one), Buffer.from(other));
const bySource = (one: IndexSource, other: IndexSource): number =>
  byBytes(one.repositoryId, other.repositoryId) || byBytes(one.section, other.section);
const keyOf = ({ section, repositoryId }: IndexSource): string => `${repositoryId} ${section}`;

function memoryIndex(): MemoryIndex {
  const stored = new Map<string, Stored>();
  return {
    id: randomUUID(),
    stored,
    state: async (source) => stored.get(keyOf(source))?.state,
    async write(source, changes, state) {
      const to = stored.get(keyOf(source)) ?? { source, state, files: new Map(), documents: new Map() };
      stored.set(keyOf(source), to);
      apply(changes, to);
      to.state = state;
    },
    async entries(source, after, limit) {
      const { files = new Map<string, IndexedFile>(), documents = new Map<string, SectionDocument>() } =
        stored.get(keyOf(source)) ?? {};
      const entries = [
        ...[...files.values()].map(({ path, oid }) => ({ key: path, oid })),
        ...[...documents.keys()].map((key) => ({ key, oid: '' })),
      ];
      return entries
        .filter(({ key }) => after === undefined || byBytes(key, after) > 0)
        .toSorted((one, other) => byBytes(one.key, other.key))
        .slice(0, limit);
    },
    sources: async (after, limit) =>
      [...stored.values()]
        .map(({ source: { section, repositoryId }, state }) => ({ section, repositoryId, state }))
        .filter((source) => after === undefined || bySource(source, after) > 0)
        .toSorted(bySource)
        .slice(0, limit),
    async remove(source) {
      stored.delete(keyOf(source));
    },
  };
}

/** Removals, then moves, then what is stored. */
function apply({ removed = [], moved = [], files = [], documents = [] }: IndexChanges, to: Stored): void {
  for (const key of removed) {
    to.files.delete(key);
    to.documents.delete(key);
  }
  for (const { from, to: path, language } of moved) {
    const file = to.files.get(from);
    if (file === undefined || to.files.has(path)) throw new Conflict(`"${from}" cannot move to "${path}"`);
    to.files.delete(from);
    to.files.set(path, { ...file, path, language });
  }
  for (const file of files) to.files.set(file.path, file);
  for (const document of documents) to.documents.set(document.key, document);
}

/** The words of a text. Blanks at both ends make words whole. */
const wordsOf = (text: string): string => ` ${wordsIn(folded(text)).join(' ')} `;

const hasPath = ({ languages, paths }: FileFilter, { path, language }: IndexedFile): boolean =>
  (languages.length === 0 || languages.includes(language)) && paths.every((part) => folded(path).includes(part));

/** Greater than the weight of every path, so that it only orders equals. */
const step = 1000;

/** Undefined if the file does not match. */
function fileScore(query: FileQuery, file: IndexedFile): number | undefined {
  const path = folded(file.path);
  const matches = [...query.terms, ...query.short].every((term) => path.includes(term) || file.text.includes(term));
  if (!matches || !hasPath(query, file)) return undefined;
  const { terms } = query;
  const rank = [
    terms.some((term) => path.includes(term)),
    terms.includes(folded(stemOf(file.path))),
    file.symbols.some(({ name, kind }) => !commonKinds.includes(kind) && terms.includes(folded(name))),
  ];
  return (rank.lastIndexOf(true) + 1) * step + pathWeight(file.path);
}

/** Undefined if the name does not match. */
function nameScore(wanted: string, name: string): number | undefined {
  if (name === wanted) return 3;
  if (!isIndexable(wanted) || !name.includes(wanted)) return undefined;
  return name.startsWith(wanted) ? 2 : 1;
}

/** The best ones of all hits. */
function found<H extends { readonly score: number }>(hits: readonly H[], { limit }: Within): Found<H> {
  return {
    total: Math.min(hits.length, mostCounted),
    hits: hits.toSorted((one, other) => other.score - one.score).slice(0, limit),
  };
}

/** Answers from memory. Each call makes an empty one. */
export function memorySearchBackend(): SearchBackend {
  let indexes = [memoryIndex()];

  /** The stored section of the repositories that the query includes and its caller may read. */
  async function within({ readable, repositoryIds, signal }: Within, section: string): Promise<readonly Stored[]> {
    signal.throwIfAborted();
    const ids = await readable.ids();
    return [...(indexes[0]?.stored.values() ?? [])].filter(
      ({ source }) =>
        source.section === section &&
        ids.has(source.repositoryId) &&
        (repositoryIds === undefined || repositoryIds.includes(source.repositoryId)),
    );
  }

  return {
    indexes: async () => indexes,
    async beginRebuild() {
      if (indexes.length === 1) indexes = [...indexes, memoryIndex()];
    },
    async finishRebuild() {
      indexes = indexes.slice(-1);
    },

    async files(query) {
      const hits: FileHit[] = [];
      for (const { source, files } of await within(query, 'code'))
        for (const file of files.values()) {
          const score = fileScore(query, file);
          if (score === undefined) continue;
          const { path, oid, language } = file;
          hits.push({ repositoryId: source.repositoryId, path, oid, language, score });
        }
      return found(hits, query);
    },

    async symbols(query) {
      const hits: SymbolHit[] = [];
      for (const { source, files } of await within(query, 'code'))
        for (const file of [...files.values()].filter((file) => hasPath(query, file)))
          for (const symbol of file.symbols) {
            const score = symbolScore(query, symbol, file.path);
            if (score === undefined) continue;
            const { path, language } = file;
            hits.push({ ...symbol, repositoryId: source.repositoryId, path, language, score });
          }
      return found(hits, query);
    },

    symbolsOf: async (repositoryId, path) =>
      indexes[0]?.stored.get(keyOf({ repositoryId, section: 'code' }))?.files.get(path)?.symbols ?? [],

    async documents(query) {
      const words = query.words.map(wordsOf);
      const hits = (await within(query, query.section)).flatMap(({ source, documents }) =>
        [...documents.values()].flatMap(({ key, title, text, updatedAt, source: content }) => {
          const [inTitle, inText] = [wordsOf(title), wordsOf(text)];
          if (!words.every((word) => inTitle.includes(word) || inText.includes(word))) return [];
          const titled = words.filter((word) => inTitle.includes(word)).length;
          const score = query.sort === 'recent' ? updatedAt.getTime() : titled;
          return [{ repositoryId: source.repositoryId, key, source: content, score }];
        }),
      );
      return found(hits, query);
    },

    async size() {
      const stored = [...(indexes[0]?.stored.values() ?? [])];
      const files = stored.flatMap((source) => [...source.files.values()]);
      return {
        files: files.length,
        symbols: files.reduce((sum, { symbols }) => sum + symbols.length, 0),
        documents: stored.reduce((sum, { documents }) => sum + documents.size, 0),
        bytes: undefined,
      };
    },
  } satisfies SearchBackend;
}

function symbolScore(
  { name, kinds }: SymbolQuery,
  symbol: SymbolHit | IndexedFile['symbols'][number],
  path: string,
): number | undefined {
  if (kinds.length > 0 && !kinds.includes(symbol.kind)) return undefined;
  const rank = nameScore(name, folded(symbol.name));
  return rank === undefined ? undefined : rank * step + pathWeight(path);
}
