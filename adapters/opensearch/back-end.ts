// The search back end in OpenSearch.
import type { Log } from '#core/kernel/services/log';
import type { IndexSize, SearchBackend } from '#core/search/index';
import { members, number } from './client/answers.ts';
import { connect, type Address, type OpenSearchNode } from './client/node.ts';
import { Refused } from './client/refusal.ts';
import { watch, type Health } from './health.ts';
import { generations } from './indexes/generations.ts';
import { searchIndex } from './indexes/search-index.ts';
import { findDocuments } from './queries/documents.ts';
import { findFiles } from './queries/files.ts';
import { search, type Asked } from './queries/search.ts';
import { findSymbols, symbolsOfFile } from './queries/symbols.ts';

export interface Options extends Address {
  /** The name of the alias that answers, and the beginning of the names of the indexes. */
  readonly prefix: string;
  /** The number of shards of new indexes. */
  readonly shards: number;
  /** Milliseconds until a query is rejected. */
  readonly timeout: number;
  readonly log: Log;
}

export interface OpenSearch extends Pick<Health, 'complaint' | 'open'> {
  readonly backend: SearchBackend;
  close(): Promise<void>;
}

/** Rejects everything until `open`. @throws {Error} if an option is wrong. */
export function openSearch(options: Options): OpenSearch {
  const { prefix: alias, timeout: ms } = options;
  const direct = connect(options);
  const health = watch(direct, generations(direct, alias, options.shards), options.log);
  const node: OpenSearchNode = {
    ...direct,
    async ask(request) {
      try {
        return await direct.ask(request);
      } catch (error) {
        if (request.signal?.aborted !== true) health.failed();
        throw error;
      }
    },
  };
  const indexes = generations(node, alias, options.shards);
  const asked: Asked = { node, alias, ms };
  const checked =
    <Q, R>(find: (asked: Asked, query: Q) => Promise<R>) =>
    async (query: Q): Promise<R> => {
      health.check();
      return find(asked, query);
    };
  const backend = {
    async indexes() {
      health.check();
      const { answering, rebuilding } = await indexes.current();
      return [answering, ...(rebuilding === undefined ? [] : [rebuilding])].map((one) => searchIndex(node, one));
    },
    async beginRebuild() {
      health.check();
      await indexes.begin();
    },
    async finishRebuild() {
      health.check();
      await indexes.finish();
    },
    files: checked(findFiles),
    symbols: checked(findSymbols),
    documents: checked(findDocuments),
    async symbolsOf(repositoryId, path) {
      health.check();
      return symbolsOfFile(asked, repositoryId, path);
    },
    async size() {
      health.check();
      return sizeOf(asked);
    },
  } satisfies SearchBackend;
  return {
    backend,
    complaint: () => health.complaint(),
    open: () => health.open(),
    async close() {
      health.close();
      await direct.close();
    },
  };
}

async function sizeOf(asked: Asked): Promise<IndexSize> {
  const of = (kind: 'file' | 'document'): object => ({ filter: { term: { kind } } });
  const [{ aggregations }, bytes] = await Promise.all([
    search(asked, new AbortController().signal, {
      size: 0,
      track_total_hits: false,
      aggregations: {
        files: of('file'),
        documents: of('document'),
        symbols: { sum: { field: 'symbol_count' } },
      },
    }),
    bytesOf(asked),
  ]);
  const count = (name: string): number => number(members(aggregations[name])['doc_count']);
  return {
    files: count('files'),
    documents: count('documents'),
    symbols: number(members(aggregations['symbols'])['value']),
    bytes,
  };
}

/** Without replicas. Undefined if OpenSearch does not permit the question. */
async function bytesOf({ node, alias, ms }: Asked): Promise<number | undefined> {
  try {
    const { body } = await node.ask({ method: 'GET', path: [alias, '_stats', 'store'], ms });
    const { primaries } = members(members(body)['_all']);
    return number(members(members(primaries)['store'])['size_in_bytes']);
  } catch (error) {
    if (error instanceof Refused && error.status === 403) return undefined;
    throw error;
  }
}
