// The index in memory: every query looks at all rows.
import type { MemoryDatabase, UnitOfWork } from 'hexforge/plugin';
import {
  codeSection,
  commonKinds,
  folded,
  isIndexable,
  mostCounted,
  pathWeight,
  stemOf,
  wordsIn,
  type DocumentQuery,
  type FileFilter,
  type FileQuery,
  type Found,
  type IndexedFile,
  type IndexSource,
  type SearchBackend,
  type SearchIndex,
  type SectionDocument,
  type SymbolQuery,
  type Within,
} from 'hexforge/search';
import type { OpenIndex } from './store.ts';

interface Index {
  readonly id: number;
  readonly serving: boolean;
}
type Owned = IndexSource & { readonly indexId: number };
type Source = Owned & { readonly state: string };
type File = Owned & IndexedFile;
type Document = Owned & SectionDocument;

const bytes = new TextEncoder();
/** The order of the bytes of UTF-8. */
const byBytes = (one: string, other: string): number => {
  const [a, b] = [bytes.encode(one), bytes.encode(other)];
  const at = a.findIndex((byte, index) => byte !== b[index]);
  return at < 0 ? a.length - b.length : (a[at] ?? 0) - (b[at] ?? -1);
};
const key = (...parts: readonly (string | number)[]): string => JSON.stringify(parts);

export function memorySearchIndex(database: MemoryDatabase): OpenIndex {
  const indexes = database.table<Index>('search_sql_index', { key: 'id' });
  const sources = database.table<Source>('search_sql_source', {
    key: ({ indexId, repositoryId, section }) => key(indexId, repositoryId, section),
  });
  const files = database.table<File>('search_sql_file', {
    key: ({ indexId, repositoryId, path }) => key(indexId, repositoryId, path),
  });
  const documents = database.table<Document>('search_sql_document', {
    key: ({ indexId, repositoryId, section, key: own }) => key(indexId, repositoryId, section, own),
  });
  if (indexes.all().length === 0) indexes.insert({ id: 1, serving: true });

  const indexOf = (indexId: number, unitOfWork: UnitOfWork): SearchIndex => {
    const where = ({ section, repositoryId }: IndexSource): Owned => ({ indexId, section, repositoryId });
    return {
      id: String(indexId),
      state: async (source) => sources.findOne(where(source))?.state,
      write: (source, { removed = [], moved = [], files: given = [], documents: more = [] }, state) =>
        unitOfWork.run(async () => {
          const own = where(source);
          const fileKey = (path: string): string => key(indexId, source.repositoryId, path);
          for (const each of removed)
            if (source.section === codeSection) files.delete(fileKey(each));
            else documents.delete(key(indexId, source.repositoryId, source.section, each));
          for (const { from, to, language } of moved) {
            const file = files.get(fileKey(from));
            if (file === undefined) throw new Error(`the file "${from}" to be moved is not in the index`);
            files.delete(fileKey(from));
            files.insert({ ...file, path: to, language });
          }
          for (const file of given) files.upsert({ ...file, ...own });
          for (const document of more) documents.upsert({ ...document, ...own });
          sources.upsert({ ...own, state });
        }),
      async entries(source, after = '', limit) {
        const found =
          source.section === codeSection
            ? files.find({ where: where(source) }).map(({ path, oid }) => ({ key: path, oid }))
            : documents.find({ where: where(source) }).map((document) => ({ key: document.key, oid: '' }));
        return found
          .toSorted((one, other) => byBytes(one.key, other.key))
          .filter((entry) => byBytes(entry.key, after) > 0)
          .slice(0, limit);
      },
      async sources(after, limit) {
        const order = (one: IndexSource, other: IndexSource): number =>
          byBytes(one.repositoryId, other.repositoryId) || byBytes(one.section, other.section);
        return sources
          .find({ where: { indexId } })
          .map(({ indexId: _, ...source }) => source)
          .toSorted(order)
          .filter((source) => after === undefined || order(source, after) > 0)
          .slice(0, limit);
      },
      async remove(source) {
        files.deleteWhere(where(source));
        documents.deleteWhere(where(source));
        sources.deleteWhere(where(source));
      },
    };
  };

  const servingId = (): number => indexes.findOne({ serving: true })?.id ?? 0;
  const readable = async ({ readable: caller, repositoryIds }: Within) => {
    const ids = await caller.ids();
    return ({ indexId, repositoryId }: Owned): boolean =>
      indexId === servingId() && ids.has(repositoryId) && (repositoryIds?.includes(repositoryId) ?? true);
  };

  return (unitOfWork) =>
    ({
      indexes: async () =>
        indexes
          .all()
          .toSorted((one, other) => Number(other.serving) - Number(one.serving))
          .map(({ id }) => indexOf(id, unitOfWork)),
      async beginRebuild() {
        if (indexes.findOne({ serving: false }) === undefined) indexes.insert({ id: servingId() + 1, serving: false });
      },
      async finishRebuild() {
        await unitOfWork.run(async () => {
          const next = indexes.findOne({ serving: false });
          if (next === undefined) return;
          const indexId = servingId();
          for (const table of [files, documents, sources]) table.deleteWhere({ indexId });
          indexes.delete(indexId);
          indexes.update(next.id, { serving: true });
        });
      },

      async files(query: FileQuery) {
        const visible = await readable(query);
        const has = ({ path, text }: File, part: string): boolean => text.includes(part) || folded(path).includes(part);
        const found = files
          .all()
          .filter((file) => visible(file) && passes(file, query))
          .filter((file) => [...query.terms, ...query.short].every((part) => has(file, part)));
        return ranked(
          query,
          found.map(({ repositoryId, path, oid, language, symbols }) => {
            const any = (test: (term: string) => boolean): boolean => query.terms.some(test);
            const definedAt = symbols.find(
              ({ name, kind }) => !commonKinds.includes(kind) && query.terms.includes(folded(name)),
            )?.line;
            const score =
              pathWeight(path) +
              (definedAt === undefined ? 0 : 4000) +
              (any((term) => folded(stemOf(path)) === term) ? 2000 : 0) +
              (any((term) => folded(path).includes(term)) ? 1000 : 0);
            return { repositoryId, path, oid, language, score, ...(definedAt !== undefined && { definedAt }) };
          }),
          ({ path }) => path,
        );
      },

      async symbols(query: SymbolQuery) {
        const visible = await readable(query);
        const { name: asked, kinds } = query;
        const tier = (name: string): number => {
          if (name === asked) return 4000;
          if (!isIndexable(asked) || !name.includes(asked)) return 0;
          return name.startsWith(asked) ? 2000 : 1;
        };
        const hits = files
          .all()
          .filter((file) => visible(file) && passes(file, query))
          .flatMap(({ repositoryId, path, language, symbols }) =>
            symbols
              .filter(({ name, kind }) => tier(folded(name)) > 0 && (kinds.length === 0 || kinds.includes(kind)))
              .map((symbol) => ({
                ...symbol,
                repositoryId,
                path,
                language,
                score: pathWeight(path) + tier(folded(symbol.name)),
              })),
          );
        return ranked(query, hits, ({ path, line }) => `${path}\0${String(line).padStart(9, '0')}`);
      },

      symbolsOf: async (repositoryId, path) => files.get(key(servingId(), repositoryId, path))?.symbols ?? [],

      async documents(query: DocumentQuery) {
        const visible = await readable(query);
        const phrases = query.words.map((word) => ` ${plain(word)} `);
        const weight = ({ title, text }: Document, phrase: string): number => {
          if (` ${plain(title)} `.includes(phrase)) return 1;
          return ` ${plain(text)} `.includes(phrase) ? 0.1 : 0;
        };
        const found = documents
          .all()
          .filter((document) => visible(document) && document.section === query.section)
          .map((document) => ({ document, weights: phrases.map((phrase) => weight(document, phrase)) }))
          .filter(({ weights }) => weights.every((each) => each > 0));
        return ranked(
          query,
          found.map(({ document: { repositoryId, key: own, source, updatedAt }, weights }) => ({
            repositoryId,
            key: own,
            source,
            score: query.sort === 'recent' ? updatedAt.getTime() / 1000 : Math.max(...weights),
          })),
          (hit) => hit.key,
        );
      },

      async size() {
        const [own, count] = [{ indexId: servingId() }, files.find({ where: { indexId: servingId() } })];
        return {
          files: count.length,
          symbols: count.reduce((sum, { symbols }) => sum + symbols.length, 0),
          documents: documents.count(own),
          bytes: undefined,
        };
      },
    }) satisfies SearchBackend;
}

const plain = (text: string): string => wordsIn(folded(text)).join(' ');

const passes = ({ path, language }: IndexedFile, { languages, paths }: FileFilter): boolean =>
  (languages.length === 0 || languages.includes(language)) && paths.every((part) => folded(path).includes(part));

function ranked<H extends { readonly score: number }>(
  { limit, signal }: Within,
  hits: readonly H[],
  placeOf: (hit: H) => string,
): Found<H> {
  signal.throwIfAborted();
  const order = (one: H, other: H): number => other.score - one.score || byBytes(placeOf(one), placeOf(other));
  return { total: Math.min(hits.length, mostCounted), hits: hits.toSorted(order).slice(0, limit) };
}
