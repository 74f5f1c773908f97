// Fixtures for specs of the indexing: trees in memory as git, the plain back end, and the queue's rows in memory.
import { fixedClock, openMemory, sequentialIds } from '#adapters/memory/index';
import { NotFound } from '#core/kernel/errors';
import type { Oid, Repository, TreeChange, TreeChangeSlice } from '#core/repositories/index';
import type { SearchBackend, SearchIndex, SymbolReader } from '#core/search/index';
import { indexing } from '#core/search/indexing/indexing';
import { workQueue } from '#core/search/indexing/queue';
import type { SyncParts } from '#core/search/indexing/sync-files';
import type { Section } from '#core/search/model/section';
import { queueRows } from '#plugins/search/tables';
import { quietLog } from '#test/contracts/storage/storage-engines';
import { memorySearchBackend } from '../../contracts/search/memory-search-backend.ts';
import { repositoryOf } from '../forge.ts';

type Tree = Readonly<Record<string, string | Uint8Array>>;

/** Commits are named by the caller; a blob's oid is its content in hexadecimal, shortened. */
export class Trees {
  readonly commits = new Map<Oid, ReadonlyMap<string, Oid>>();
  readonly #blobs = new Map<Oid, Uint8Array>();
  /** The tip of `main` of each repository. */
  readonly tips = new Map<string, Oid>();
  /** Oids of read blobs. */
  read: Oid[] = [];
  /** Streams that were opened and not ended. */
  open = 0;
  /** Called before each blob is read. */
  before: () => void | Promise<void> = () => undefined;

  commit(repositoryId: string, name: Oid, files: Tree): void {
    const tree = Object.entries(files).map(([path, content]) => {
      const bytes = Buffer.from(content as string);
      const oid = Buffer.from(`${bytes.length} ${bytes.subarray(0, 40).toString()}`).toString('hex');
      this.#blobs.set(oid, bytes);
      return [path, oid] as const;
    });
    this.commits.set(name, new Map(tree));
    this.tips.set(repositoryId, name);
  }

  readonly git: SyncParts['git'] = {
    readRefs: async (repository) => [this.tips.get(repository) ?? '0'.repeat(40)],
    sizes: async (_repository, commit, groupOf) => {
      const sizes = new Map<string, number>();
      for (const [path, oid] of this.commits.get(commit) ?? [])
        sizes.set(groupOf(path), (sizes.get(groupOf(path)) ?? 0) + (this.#blobs.get(oid)?.length ?? 0));
      return sizes;
    },
    treeChanges: async (_repository, from, to, { after = '', limit }: TreeChangeSlice) => {
      const [old, now] = [from === undefined ? new Map<string, Oid>() : this.commits.get(from), this.commits.get(to)];
      if (old === undefined || now === undefined) throw new NotFound('The commit is not there');
      const all = [...new Set([...old.keys(), ...now.keys()])]
        .toSorted((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)))
        .map((path): TreeChange => ({ path, old: old.get(path), new: now.get(path) }))
        .filter((change) => change.old !== change.new)
        .filter(({ path }) => Buffer.compare(Buffer.from(path), Buffer.from(after)) > 0);
      return { changes: all.slice(0, limit), more: all.length > limit };
    },
    blob: async (_repository, oid) => {
      await this.before();
      const bytes = this.#blobs.get(oid) ?? new Uint8Array();
      this.read.push(oid);
      this.open += 1;
      const end = (): void => void (this.open -= 1);
      return {
        oid,
        size: bytes.length,
        bytes: (async function* () {
          try {
            for (let at = 0; at <= bytes.length; at += 1000) yield bytes.subarray(at, at + 1000);
          } finally {
            end();
          }
        })(),
      };
    },
  };
}

/** The first word of each line that begins with `def` is a function. */
const symbols: SymbolReader = {
  read: async ({ text }) =>
    text
      .split('\n')
      .flatMap((line, at) =>
        line.startsWith('def ')
          ? [{ name: line.slice(4), kind: 'function' as const, line: at + 1, signature: line }]
          : [],
      ),
  reads: () => true,
  restarts: {},
};

export const signal = new AbortController().signal;
export const ids = ['one', 'two', 'three'].map((_, at) => `00000000-0000-4000-8000-00000000000${at + 1}`);
export const [first = '', second = ''] = ids;

export async function world({
  sections = [],
  mostBytes = 10_000_000,
}: { sections?: Section[]; mostBytes?: number } = {}) {
  const clock = fixedClock('2026-01-02T03:04:05Z');
  const storage = openMemory({ clock, ids: sequentialIds(), log: quietLog });
  const rows = queueRows.memory(storage.database);
  let versions = 0;
  const queue = workQueue({ queue: rows, newVersion: () => `v${(versions += 1)}` });
  const trees = new Trees();
  const repositories = new Map<string, Repository>();
  /** Ids of repositories that lists do not have yet. */
  const unlisted = new Set<string>();
  const state: { backend: SearchBackend | undefined } = { backend: memorySearchBackend() };
  /** The index that answers, or the one that is being built. */
  const index = async (at = 0): Promise<SearchIndex> => {
    const found = (await state.backend?.indexes())?.[at];
    if (found === undefined) throw new Error(`there is no index ${at}`);
    return found;
  };
  const parts = { git: trees.git, symbols, log: quietLog, mostBytes };
  return {
    clock,
    rows,
    queue,
    trees,
    repositories,
    unlisted,
    state,
    parts,
    create: (id: string): Repository => {
      const repository = repositoryOf(id, { name: id });
      repositories.set(id, repository);
      return repository;
    },
    indexing: indexing({
      ...parts,
      backend: () => state.backend,
      queue,
      sections: () => sections,
      repositories: {
        byId: async (id) => repositories.get(id),
        all: async (after, limit) =>
          [...repositories.values()]
            .filter(({ id }) => !unlisted.has(id) && (after === undefined || id > after))
            .toSorted((one, other) => (one.id < other.id ? -1 : 1))
            .slice(0, limit),
      },
      clock,
    }),
    index,
    async paths(repositoryId = first, at = 0): Promise<readonly string[]> {
      const entries = await (await index(at)).entries({ section: 'code', repositoryId }, undefined, 10_000);
      return entries.map(({ key }) => key);
    },
    close: () => storage.close(),
  };
}
