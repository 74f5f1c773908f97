// Sends a search to the index that answers, and checks that its answer is complete.
import { TimedOut, Unavailable } from '#core/kernel/errors';
import { mostCounted } from '#core/search/index';
import { list, members, number, type Members } from '../client/answers.ts';
import type { OpenSearchNode } from '../client/node.ts';
import { Malformed } from '../client/refusal.ts';

export interface Asked {
  readonly node: OpenSearchNode;
  /** The alias that answers. */
  readonly alias: string;
  /** Milliseconds until the whole answer was read. */
  readonly ms: number;
}

export interface Result {
  /** Counted up to `mostCounted`. */
  readonly total: number;
  readonly hits: readonly Members[];
  readonly aggregations: Members;
}

export const counted = (total: number): number => Math.min(total, mostCounted);

/**
 * @param comparable whether scores depend on how frequent words are, so that all shards have to agree on that first.
 * @throws {HexforgeError} if the answer is incomplete or late; or the reason of the signal.
 */
export async function search(
  { node, alias, ms }: Asked,
  signal: AbortSignal,
  body: object,
  { comparable = false }: { readonly comparable?: boolean } = {},
): Promise<Result> {
  const { body: answer } = await node.ask({
    method: 'POST',
    path: [alias, '_search'],
    query: {
      allow_partial_search_results: false,
      search_type: comparable ? 'dfs_query_then_fetch' : 'query_then_fetch',
    },
    // OpenSearch stops before this request is given up.
    body: { track_total_hits: mostCounted, timeout: `${Math.ceil(ms * 0.9)}ms`, ...body },
    ms,
    signal,
  });
  const { timed_out: late, _shards: shards, hits, aggregations = {} } = members(answer);
  if (late === true) throw new TimedOut('OpenSearch did not finish the search in time');
  if (late !== false) throw new Malformed();
  if (number(members(shards)['failed']) > 0) throw new Unavailable('OpenSearch could not search the whole index');
  const { total, hits: found } = members(hits);
  return {
    total: total === undefined ? 0 : counted(number(members(total)['value'])),
    hits: list(found).map(members),
    aggregations: members(aggregations),
  };
}
