// The interface of a provider in the contract suite of `SearchBackend`, and the samples and queries of its checks.
import assert, { AssertionError } from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { createHash, randomUUID } from 'node:crypto';
import { languageOf, type Reader } from '#core/repositories/index';
import {
  codeSection,
  folded,
  mostCounted,
  type DocumentHit,
  type DocumentQuery,
  type FileHit,
  type FileQuery,
  type Found,
  type IndexChanges,
  type IndexedFile,
  type SearchBackend,
  type SearchIndex,
  type SectionDocument,
  type SymbolDefinition,
  type SymbolHit,
  type SymbolQuery,
} from '#core/search/index';
import type { Check } from '../checks.ts';
import { memoryWorld, type SearchWorld } from './world.ts';

/** A search back end that the contract suite runs on. It may have contents; its checks run one after the other. */
export interface SearchBackendUnderTest {
  readonly backend: SearchBackend;
  /** Absent: users and repositories in memory, for back ends that filter by `Readable.ids`. */
  readonly world?: SearchWorld;
  /** The milliseconds after which checks expect writes to count; 3,000 if absent. 0 for back ends that never lag. */
  readonly patience?: number;
}

/** The parts of a check. */
export interface Given {
  readonly backend: SearchBackend;
  readonly world: SearchWorld;
  /** The id of a user. */
  readonly owner: string;
  /** The id of a private repository of that user. */
  readonly repository: string;
  /** A word that nothing else in the index contains. */
  readonly word: string;
  /** The index that answers. */
  index(): Promise<SearchIndex>;
  /** Writes to the index that answers: to the code of `repository`, unless stated otherwise. */
  write(changes: IndexChanges, to?: { readonly repositoryId?: string; readonly section?: string }): Promise<void>;
  /** Queries of the owner within `repository`, unless stated otherwise, for at most 100 hits. */
  files(query: Partial<FileQuery>, reader?: Reader): Promise<Found<FileHit>>;
  symbols(query: Partial<SymbolQuery>, reader?: Reader): Promise<Found<SymbolHit>>;
  documents(query: Partial<DocumentQuery>, reader?: Reader): Promise<Found<DocumentHit>>;
  /** The paths of the files, best first. */
  paths(query: Partial<FileQuery>, reader?: Reader): Promise<readonly string[]>;
  /** The names of the symbols, best first. */
  names(query: Partial<SymbolQuery>, reader?: Reader): Promise<readonly string[]>;
  /** The keys of the documents, best first. */
  keys(query: Partial<DocumentQuery>, reader?: Reader): Promise<readonly string[]>;
  /** Resolves when the assertion holds: writes need not count at once. Errors not of an assertion reject at once. */
  eventually(assertion: () => Promise<void>): Promise<void>;
  /** Resolves when a list of texts is this one, in this order. */
  becomes(read: () => Promise<readonly string[]>, expected: readonly string[], what?: string): Promise<void>;
  /** The same in any order. */
  becomesSet(read: () => Promise<readonly string[]>, expected: readonly string[], what?: string): Promise<void>;
  /** Resolves when every write counts. */
  settled(): Promise<void>;
}

export const never = new AbortController().signal;
export const issues = 'issues';
export const newWord = (): string => `w${randomUUID().replaceAll('-', '').slice(0, 16)}`;
export const userOf = (id: string): Reader => ({ kind: 'user', id, isAdmin: false });
export const administrator: Reader = { kind: 'user', id: randomUUID(), isAdmin: true };

/** Makes a check. */
export function check(name: string, run: (given: Given) => Promise<void>): Check<SearchBackendUnderTest> {
  return { name, run: async (provider) => run(await given(provider)) };
}

async function given({ backend, world = memoryWorld(), patience = 3000 }: SearchBackendUnderTest): Promise<Given> {
  const owner = await world.user();
  const repository = await world.repository(owner, 'private');
  const index = async (): Promise<SearchIndex> => {
    const [answering] = await backend.indexes();
    assert.ok(answering !== undefined, 'there is an index');
    return answering;
  };
  const within = (reader: Reader = userOf(owner)) => ({
    readable: world.readable(reader),
    repositoryIds: [repository],
    limit: 100,
    signal: never,
  });
  const filter = { languages: [], paths: [] };
  const files: Given['files'] = async (query, reader) => {
    const asked = { ...within(reader), ...filter, terms: [], short: [], ...query };
    return wellFormed(await backend.files(asked), asked.limit, ({ repositoryId, path }) => [repositoryId, path]);
  };
  const symbols: Given['symbols'] = async (query, reader) => {
    const asked = { ...within(reader), ...filter, name: '', kinds: [], ...query };
    return wellFormed(await backend.symbols(asked), asked.limit);
  };
  const documents: Given['documents'] = async (query, reader) => {
    const asked = { ...within(reader), section: issues, words: [], sort: 'relevance' as const, ...query };
    return wellFormed(
      await backend.documents(asked),
      asked.limit,
      ({ repositoryId, key }) => [repositoryId, key],
      asked.sort === 'relevance',
    );
  };
  const eventually: Given['eventually'] = async (assertion) => {
    const end = performance.now() + patience;
    for (;;) {
      try {
        return await assertion();
      } catch (error) {
        if (!(error instanceof AssertionError) || performance.now() >= end) throw error;
      }
      await pause(50);
    }
  };
  const becomes: Given['becomes'] = (read, expected, what) =>
    eventually(async () => assert.deepEqual(await read(), expected, what));
  return {
    eventually,
    becomes,
    becomesSet: (read, expected, what) => becomes(async () => (await read()).toSorted(), expected.toSorted(), what),
    settled: () => pause(Math.min(patience, 1100)),
    backend,
    world,
    owner,
    repository,
    word: newWord(),
    index,
    async write(changes, { repositoryId = repository, section = codeSection } = {}) {
      await (await index()).write({ section, repositoryId }, changes, 'written');
    },
    files,
    symbols,
    documents,
    paths: async (query, reader) => (await files(query, reader)).hits.map(({ path }) => path),
    names: async (query, reader) => (await symbols(query, reader)).hits.map(({ name }) => name),
    keys: async (query, reader) => (await documents(query, reader)).hits.map(({ key }) => key),
  };
}

const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Checks what every answer promises: bounds, a total that fits the hits, and scores that order them. */
function wellFormed<H extends { readonly score: number }>(
  found: Found<H>,
  limit: number,
  identity?: (hit: H) => readonly string[],
  ordered = true,
): Found<H> {
  const { total, hits } = found;
  assert.ok(Number.isInteger(total) && total >= 0 && total <= mostCounted, `total ${total}`);
  assert.equal(hits.length, Math.min(limit, total), `hits of ${total} at a limit of ${limit}`);
  for (const [at, { score }] of hits.entries()) {
    assert.ok(Number.isFinite(score), `score ${score}`);
    if (ordered) assert.ok(score <= (hits[at - 1]?.score ?? Infinity), 'scores never increase');
  }
  if (identity !== undefined)
    assert.equal(new Set(hits.map((hit) => JSON.stringify(identity(hit)))).size, hits.length, 'no hit occurs twice');
  return found;
}

/** Reads a list page by page. Asserts that each page keeps the limit, and that nothing occurs twice. */
export async function paged<T>(
  read: (after: T | undefined) => Promise<readonly T[]>,
  limit: number,
  identity: (row: T) => string,
): Promise<readonly T[]> {
  const all = new Map<string, T>();
  for (let last: T | undefined; ;) {
    const page = await read(last);
    assert.ok(page.length <= limit, `${page.length} rows at a limit of ${limit}`);
    for (const row of page) {
      assert.ok(!all.has(identity(row)), `twice: ${identity(row)}`);
      all.set(identity(row), row);
    }
    last = page.at(-1);
    if (page.length < limit) return [...all.values()];
  }
}

/** A file with this text. Its oid is its own, unless stated otherwise. */
export function file(path: string, text = '', more: Partial<IndexedFile> = {}): IndexedFile {
  return {
    path,
    oid: createHash('sha1').update(`${path}\0${text}`).digest('hex'),
    language: languageOf(path),
    size: Buffer.byteLength(text),
    text: folded(text),
    symbols: [],
    ...more,
  };
}

export const symbol = (name: string, more: Partial<SymbolDefinition> = {}): SymbolDefinition => ({
  name,
  kind: 'function',
  line: 1,
  signature: `function ${name}() {`,
  ...more,
});

/** A file that defines these functions, each in its own line. */
export function defining(path: string, ...names: readonly string[]): IndexedFile {
  return file(path, names.map((name) => `function ${name}() {`).join('\n'), {
    symbols: names.map((name, at) => symbol(name, { line: at + 1 })),
  });
}

export const document = (
  key: string,
  title: string,
  text = '',
  more: Partial<SectionDocument> = {},
): SectionDocument => ({ key, title, text, updatedAt: new Date('2026-01-02T03:04:05.678Z'), source: { key }, ...more });
