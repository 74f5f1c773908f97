// The contract suite of `SearchBackend`: passed by the back end in memory, and failed by broken ones.
import t from 'tap';
import type {
  DocumentQuery,
  FileQuery,
  Found,
  IndexChanges,
  SearchBackend,
  SearchIndex,
  Within,
} from 'hexforge/search';
import { contracts } from 'hexforge/testing/contracts';
import { failures } from '#test/contracts/checks';
import { memorySearchBackend } from '#test/contracts/search/memory-search-backend';
import { searchBackendChecks } from '#test/contracts/search/search-backend';

void t.test('a plain back end in memory keeps every promise, also if all checks share it', async (t) => {
  const backend = memorySearchBackend();
  for (const { name, run } of contracts.SearchBackend(() => ({ backend, patience: 0 }))) await t.resolves(run(), name);
});

/** Replaces methods of the back end. */
type Breaking = (good: SearchBackend) => Partial<SearchBackend>;

/** Replaces the queries by queries that are changed alike. */
const asking =
  (change: (query: Within, good: SearchBackend) => Promise<Partial<Within>> | Partial<Within>): Breaking =>
  (good) => ({
    files: async (query) => good.files({ ...query, ...(await change(query, good)) }),
    symbols: async (query) => good.symbols({ ...query, ...(await change(query, good)) }),
    documents: async (query) => good.documents({ ...query, ...(await change(query, good)) }),
  });

const askingFiles =
  (change: (query: FileQuery) => Partial<FileQuery>): Breaking =>
  (good) => ({ files: (query) => good.files({ ...query, ...change(query) }) });

const askingDocuments =
  (change: (query: DocumentQuery) => Partial<DocumentQuery>): Breaking =>
  (good) => ({ documents: (query) => good.documents({ ...query, ...change(query) }) });

/** Replaces methods of the indexes. */
const indexing =
  (change: (index: SearchIndex) => Partial<SearchIndex>): Breaking =>
  (good) => ({ indexes: async () => (await good.indexes()).map((index) => ({ ...index, ...change(index) })) });

const writing = (change: (changes: IndexChanges) => IndexChanges): Breaking =>
  indexing((index) => ({ write: (source, changes, state) => index.write(source, change(changes), state) }));

/** Replaces each answer, given the answer to the same query without regard to access. */
const answering =
  (change: <F extends Found<{ readonly score: number }>>(answer: F, all: F, query: Within) => F): Breaking =>
  (good) => {
    const open = asking(unfiltered)(good);
    const both = async <Q extends Within, F extends Found<{ readonly score: number }>>(
      query: Q,
      ask: (query: Q) => Promise<F>,
      askOpen: ((query: Q) => Promise<F>) | undefined,
    ): Promise<F> => {
      const answer = await ask(query);
      return change(answer, (await askOpen?.(query)) ?? answer, query);
    };
    return {
      files: (query) => both(query, good.files, open.files),
      symbols: (query) => both(query, good.symbols, open.symbols),
      documents: (query) => both(query, good.documents, open.documents),
    };
  };

/** Every repository that has been written is readable. */
const unfiltered = ({ readable }: Within, good: SearchBackend): Partial<Within> => ({
  readable: {
    reader: readable.reader,
    ids: async () => {
      const [index] = await good.indexes();
      return new Set((await index?.sources(undefined, 10_000))?.map(({ repositoryId }) => repositoryId));
    },
  },
});

/** Answers from the index of a rebuild before it is finished. */
function early(): SearchBackend {
  let [answers, other] = [memorySearchBackend(), undefined as SearchBackend | undefined];
  const rebuilt = (): SearchBackend => other ?? answers;
  return {
    indexes: async () => [...(await answers.indexes()), ...((await other?.indexes()) ?? [])],
    beginRebuild: async () => void (other ??= memorySearchBackend()),
    async finishRebuild() {
      answers = rebuilt();
      other = undefined;
    },
    files: (query) => rebuilt().files(query),
    symbols: (query) => rebuilt().symbols(query),
    symbolsOf: (id, path) => rebuilt().symbolsOf(id, path),
    documents: (query) => rebuilt().documents(query),
    size: () => rebuilt().size(),
  };
}

/** Fault → the back end with it → a check that it fails. */
const faults: Readonly<Record<string, readonly [Breaking, RegExp]>> = {
  'totals count what the caller may not read': [
    answering((answer, all) => ({ ...answer, total: all.total })),
    /only what the caller may read/,
  ],
  'hits contain what the caller may not read': [answering((_, all) => all), /only what the caller may read/],
  'access is read once': [
    (good) => {
      const known = new Map<string, ReadonlySet<string>>();
      return asking(({ readable }) => {
        const key = JSON.stringify(readable.reader);
        return {
          readable: {
            ...readable,
            ids: async () => known.get(key) ?? known.set(key, await readable.ids()).get(key) ?? new Set(),
          },
        };
      })(good);
    },
    /change of access/,
  ],
  'deleted repositories are found by administrators': [
    asking((query, good) => {
      const { reader } = query.readable;
      return reader.kind === 'user' && reader.isAdmin ? unfiltered(query, good) : {};
    }),
    /no longer exists/,
  ],
  'an error of readable ids is an empty answer': [
    asking(({ readable }) => ({ readable: { ...readable, ids: () => readable.ids().catch(() => new Set<string>()) } })),
    /readable ids at most once/,
  ],
  'readable ids are read twice': [
    asking(({ readable }) => ({
      readable: {
        ...readable,
        ids: async () => {
          await readable.ids();
          return readable.ids();
        },
      },
    })),
    /readable ids at most once/,
  ],
  'readable ids are cut': [
    asking(({ readable }) => ({
      readable: { ...readable, ids: async () => new Set([...(await readable.ids())].slice(0, 10_000)) },
    })),
    /fifty thousand/,
  ],
  'an empty list of repositories is ignored': [
    asking(({ repositoryIds }) => ({ repositoryIds: repositoryIds?.length === 0 ? undefined : repositoryIds })),
    /repositoryIds restricts/,
  ],
  'a list of repositories grants access': [
    asking(({ readable, repositoryIds }) => ({
      readable: { ...readable, ids: async () => new Set([...(await readable.ids()), ...(repositoryIds ?? [])]) },
    })),
    /repositoryIds restricts/,
  ],
  'the limit is ignored': [asking(() => ({ limit: 1000 })), /limit of 1 and of 100/],
  'the total is the number of hits': [
    answering((answer) => ({ ...answer, total: answer.hits.length })),
    /limit of 1 and of 100/,
  ],
  'totals count on': [
    answering((answer) => ({ ...answer, total: answer.total === 1000 ? 1001 : answer.total })),
    /up to a thousand/,
  ],
  'hits come worst first': [
    answering((answer) => ({ ...answer, hits: answer.hits.toReversed() })),
    /^files rank by a defined symbol/,
  ],
  'an aborted query is answered': [asking(() => ({ signal: new AbortController().signal })), /aborted query/],
  'some terms throw': [
    askingFiles(({ terms }) => {
      for (const term of terms) if (term.includes('(')) throw new SyntaxError('unbalanced');
      return {};
    }),
    /literally/,
  ],
  'a percent sign is a wildcard': [
    askingFiles(({ terms }) => ({ terms: terms.flatMap((term) => term.split('%')) })),
    /literally/,
  ],
  'an underscore is a wildcard': [
    askingFiles(({ terms }) => ({ terms: terms.flatMap((term) => term.split('_')) })),
    /literally/,
  ],
  'blanks are trimmed': [askingFiles(({ terms }) => ({ terms: terms.map((term) => term.trim()) })), /literally/],
  'terms are words': [
    askingFiles(({ terms }) => ({ terms: terms.flatMap((term) => term.split(/[^\p{L}\p{N}]+/u)) })),
    /literally/,
  ],
  'only the first term is required': [askingFiles(({ terms }) => ({ terms: terms.slice(0, 1) })), /every term/],
  'short terms are ignored': [askingFiles(() => ({ short: [] })), /short terms/],
  'languages are ignored': [askingFiles(() => ({ languages: [] })), /^languages filter/],
  'only one path is required': [askingFiles(({ paths }) => ({ paths: paths.slice(0, 1) })), /^languages filter/],
  'texts match across lines': [
    writing(({ files = [], ...rest }) => ({
      ...rest,
      files: files.map((file) => ({ ...file, text: file.text.replaceAll(/\r?\n/g, ' ') })),
    })),
    /within one line/,
  ],
  'long texts are cut': [
    writing(({ files = [], ...rest }) => ({
      ...rest,
      files: files.map((file) => ({ ...file, text: file.text.slice(0, 65_536) })),
    })),
    /one mebibyte/,
  ],
  'long lines are cut': [
    writing(({ files = [], ...rest }) => ({
      ...rest,
      files: files.map((file) => ({
        ...file,
        text: file.text
          .split('\n')
          .map((line) => line.slice(0, 32_766))
          .join('\n'),
      })),
    })),
    /hundred thousand characters/,
  ],
  'paths are normalized': [
    writing(({ files = [], ...rest }) => ({
      ...rest,
      files: files.map((file) => ({ ...file, path: file.path.normalize('NFC') })),
    })),
    /look alike/,
  ],
  'removed documents stay': [
    writing(({ removed, documents, ...rest }) => ({
      ...rest,
      ...(documents === undefined ? {} : { documents }),
      ...(removed?.includes('a') === true ? {} : { removed: removed ?? [] }),
    })),
    /removed files and documents/,
  ],
  'moves keep the language': [
    writing(({ moved = [], ...rest }) => ({
      ...rest,
      moved: moved.map((move) => ({ ...move, language: 'javascript' })),
    })),
    /^a moved file/,
  ],
  'moves come last': [
    indexing((index) => ({
      async write(source, { moved = [], ...rest }, state) {
        await index.write(source, rest, state);
        await index.write(source, { moved }, state);
      },
    })),
    /removals first, then moves/,
  ],
  'removals come last': [
    indexing((index) => ({
      async write(source, { removed = [], ...rest }, state) {
        await index.write(source, rest, state);
        await index.write(source, { removed }, state);
      },
    })),
    /removed and stored in one write/,
  ],
  'moves that are impossible are ignored': [
    indexing((index) => ({
      write: (source, changes, state) =>
        index.write(source, changes, state).catch(() => index.write(source, { ...changes, moved: [] }, state)),
    })),
    /^a move of a file/,
  ],
  'the state is lost': [indexing(() => ({ state: async () => undefined })), /^state is the text/],
  'an empty state counts as none': [
    indexing((index) => ({ state: async (source) => (await index.state(source)) || undefined })),
    /^state is the text/,
  ],
  'the state outlives its source': [
    indexing((index) => ({
      async remove(source) {
        const state = await index.state(source);
        await index.remove(source);
        if (state !== undefined) await index.write(source, {}, state);
      },
    })),
    /^state is the text/,
  ],
  'entries are sorted by code units': [
    indexing((index) => ({
      entries: async (source, after, limit) =>
        (await index.entries(source, undefined, 10_000))
          .filter(({ key }) => after === undefined || key > after)
          .toSorted((one, other) => (one.key < other.key ? -1 : 1))
          .slice(0, limit),
    })),
    /^entries have keys and oids/,
  ],
  'pages of entries repeat their last one': [
    indexing((index) => ({
      entries: async (source, after, limit) => {
        const all = await index.entries(source, undefined, 10_000);
        return after === undefined ? all.slice(0, limit) : all.filter(({ key }) => key >= after).slice(0, limit);
      },
    })),
    /^entries have keys and oids/,
  ],
  'sources are sorted by section': [
    indexing((index) => ({
      sources: async (after, limit) =>
        (await index.sources(after, limit)).toSorted((one, other) => (one.section < other.section ? -1 : 1)),
    })),
    /^sources are listed/,
  ],
  'symbols of another case are not found': [
    (good) => ({
      symbols: async (query) => {
        const { hits } = await good.symbols(query);
        const found = hits.filter(({ name }) => name.includes(query.name));
        return { hits: found, total: found.length };
      },
    }),
    /^a name is found whole/,
  ],
  'equal symbols are stored once': [
    writing(({ files = [], ...rest }) => ({
      ...rest,
      files: files.map((file) => ({
        ...file,
        symbols: [...new Map(file.symbols.map((symbol) => [JSON.stringify(symbol), symbol])).values()],
      })),
    })),
    /^equal definitions/,
  ],
  'symbols are listed by name': [
    (good) => ({
      symbolsOf: async (id, path) =>
        (await good.symbolsOf(id, path)).toSorted((one, other) => (one.name < other.name ? -1 : 1)),
    }),
    /order of their lines/,
  ],
  'phrases are words': [
    askingDocuments(({ words }) => ({ words: words.flatMap((word) => word.split(' ')) })),
    /is a phrase/,
  ],
  'any word will do': [askingDocuments(({ words }) => ({ words: words.slice(0, 1) })), /^all words/],
  'recent is ignored': [askingDocuments(() => ({ sort: 'relevance' })), /^recent sorts/],
  'sections are mixed': [askingDocuments(() => ({ section: 'issues' })), /about one section/],
  'titles weigh nothing': [
    writing(({ documents = [], ...rest }) => ({
      ...rest,
      documents: documents.map((one) => ({ ...one, title: '', text: `${one.title}\n${one.text}` })),
    })),
    /title weighs more/,
  ],
  'sources are texts': [
    (good) => ({
      documents: async (query) => {
        const { total, hits } = await good.documents(query);
        return { total, hits: hits.map((hit) => ({ ...hit, source: JSON.stringify(hit.source) })) };
      },
    }),
    /^the source of a document/,
  ],
  'the size is an estimate': [
    (good) => ({ size: async () => ({ ...(await good.size()), files: 100 }) }),
    /^size counts/,
  ],
  'a rebuild answers before it is finished': [() => early(), /answers until the rebuild/],
  'a rebuild empties the old index': [
    (good) => ({
      async beginRebuild() {
        await good.beginRebuild();
        const [old] = await good.indexes();
        for (const source of (await old?.sources(undefined, 1000)) ?? []) await old?.remove(source);
      },
    }),
    /answers until the rebuild/,
  ],
  'a second rebuild begins anew': [
    (good) => ({
      async beginRebuild() {
        if ((await good.indexes()).length > 1) await good.finishRebuild();
        await good.beginRebuild();
      },
    }),
    /^beginRebuild during a rebuild/,
  ],
  'finishing nothing empties the index': [
    (good) => ({
      async finishRebuild() {
        await good.beginRebuild();
        await good.finishRebuild();
      },
    }),
    /^beginRebuild during a rebuild/,
  ],
  'ids of indexes repeat': [
    (good) => ({
      indexes: async () => (await good.indexes()).map((index, at) => ({ ...index, id: String(at) })),
    }),
    /^ids of indexes/,
  ],
};

void t.test('a back end that breaks a promise fails the check of that promise', async (t) => {
  for (const [fault, [breaking, says]] of Object.entries(faults)) {
    const promised = searchBackendChecks.filter(({ name }) => says.test(name));
    t.equal(promised.length, 1, `one check is named ${says}`);
    const make = async () => {
      const good = memorySearchBackend();
      return { provider: { backend: { ...good, ...breaking(good) }, patience: 0 }, dispose: async () => undefined };
    };
    t.equal((await failures(promised, make, 10_000)).length, 1, fault);
  }
});
