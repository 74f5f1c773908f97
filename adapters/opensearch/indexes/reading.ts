// Reads stored entries and sources of an index, as of the last write.
import type { IndexSource, StoredEntry } from '#core/search/index';
import { list, members, number, only, text, type Members } from '../client/answers.ts';
import { Refused } from '../client/refusal.ts';
import type { Destination } from './bulk.ts';
import { sourceId, type StoredSource } from './stored.ts';

/** Milliseconds of one request. */
const readMs = 20_000;
/** Entries of one answer. */
const page = { entries: 500, ids: 500 } as const;

/** The stored documents that exist, by id. */
export async function readMany(
  { node, alias, routing }: Destination,
  ids: readonly string[],
  fields: readonly string[],
): Promise<ReadonlyMap<string, Members>> {
  const found = new Map<string, Members>();
  for (let at = 0; at < ids.length; at += page.ids) {
    const { body } = await node.ask({
      method: 'POST',
      path: [alias, '_mget'],
      query: { routing, _source_includes: fields.join(',') },
      body: { ids: ids.slice(at, at + page.ids) },
      ms: readMs,
    });
    for (const item of list(members(body)['docs']).map(members)) {
      if (item['error'] !== undefined) throw new Refused(404, 'index_not_found_exception');
      if (item['found'] === true) found.set(text(item['_id']), members(item['_source']));
    }
  }
  return found;
}

/** Reads a source, also if queries do not see it yet. Undefined if it was never written, or was removed. */
export async function readSource(
  { node, alias, routing }: Destination,
  source: IndexSource,
): Promise<(StoredSource & { readonly version: number }) | undefined> {
  const { status, body } = await node.ask({
    method: 'GET',
    path: [alias, '_doc', sourceId(source)],
    query: { routing, _source_includes: 'state,removing' },
    ms: readMs,
    ignore: [404],
  });
  const { found, _source: stored, _version: version } = members(body);
  if (status === 404) {
    // The index itself may be missing, too.
    if (found === false) return undefined;
    throw new Refused(404, 'index_not_found_exception');
  }
  const { state, removing } = members(stored);
  return {
    state: state === undefined ? undefined : text(state),
    removing: removing === true,
    version: number(version),
  };
}

/** Lets queries see everything that was written. */
export async function refresh({ node, alias }: Omit<Destination, 'routing'>): Promise<void> {
  await node.ask({ method: 'POST', path: [alias, '_refresh'], ms: readMs });
}

/** Files or documents of a source. */
export const entriesOf = ({ section, repositoryId }: IndexSource): object => ({
  bool: {
    filter: [
      { term: { repository_id: repositoryId } },
      { term: { section } },
      { terms: { kind: ['file', 'document'] } },
    ],
  },
});

/** Searches in the order of `sort`, after the values `after`, until there are `limit` hits or no more. */
async function* sortedHits(
  { node, alias }: Omit<Destination, 'routing'>,
  search: object,
  after: readonly unknown[] | undefined,
  limit: number,
): AsyncGenerator<Members> {
  let last = after;
  for (let left = limit; left > 0;) {
    const size = Math.min(left, page.entries);
    const { body } = await node.ask({
      method: 'POST',
      path: [alias, '_search'],
      query: { allow_partial_search_results: false },
      body: { ...search, size, track_total_hits: false, ...(last === undefined ? {} : { search_after: last }) },
      ms: readMs,
    });
    const hits = list(members(members(body)['hits'])['hits']).map(members);
    yield* hits;
    left -= hits.length;
    if (hits.length < size) return;
    last = list(hits.at(-1)?.['sort']);
  }
}

export async function readEntries(
  from: Omit<Destination, 'routing'>,
  source: IndexSource,
  after: string | undefined,
  limit: number,
): Promise<StoredEntry[]> {
  await refresh(from);
  const entries: StoredEntry[] = [];
  // Keywords are sorted by their bytes in UTF-8.
  const search = { query: entriesOf(source), sort: [{ key: 'asc' }], _source: false, docvalue_fields: ['oid'] };
  for await (const hit of sortedHits(from, search, after === undefined ? undefined : [after], limit)) {
    const oid = hit['fields'] === undefined ? '' : text(only(members(hit['fields']), 'oid'));
    entries.push({ key: text(list(hit['sort'])[0]), oid });
  }
  return entries;
}

export async function readSources(
  from: Omit<Destination, 'routing'>,
  after: IndexSource | undefined,
  limit: number,
): Promise<(IndexSource & { readonly state: string })[]> {
  await refresh(from);
  const sources: (IndexSource & { readonly state: string })[] = [];
  const search = {
    query: { term: { kind: 'source' } },
    sort: [{ repository_id: 'asc' }, { section: 'asc' }],
    _source: ['state', 'removing'],
  };
  const since = after === undefined ? undefined : [after.repositoryId, after.section];
  for await (const hit of sortedHits(from, search, since, limit)) {
    const [repositoryId, section] = list(hit['sort']);
    const { state, removing } = members(hit['_source']);
    // A source without a state was not written completely, or its removal was interrupted.
    sources.push({
      section: text(section),
      repositoryId: text(repositoryId),
      state: state === undefined || removing === true ? '' : text(state),
    });
  }
  return sources;
}
