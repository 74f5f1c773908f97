// An index that is being written. A write stores its state last, so an interrupted one leaves the old state.
import type { IndexChanges, IndexSource, SearchIndex } from '#core/search/index';
import { list, members, text } from '../client/answers.ts';
import type { OpenSearchNode } from '../client/node.ts';
import { Malformed } from '../client/refusal.ts';
import { sendAll, type Destination, type Writing } from './bulk.ts';
import type { Generation } from './generations.ts';
import { moveAll, planMoves, type MovePlan } from './moves.ts';
import { entriesOf, readEntries, readSource, readSources, refresh } from './reading.ts';
import { documentOperation, entryId, fileOperation, sourceId, sourceOperation, type Operation } from './stored.ts';

export function searchIndex(node: OpenSearchNode, { alias, answers }: Generation): SearchIndex {
  const at = ({ repositoryId }: IndexSource): Destination => ({ node, alias, routing: repositoryId });
  return {
    id: alias,
    async state(source) {
      const stored = await readSource(at(source), source);
      return stored?.removing === true ? undefined : stored?.state;
    },
    async write(source, changes, state) {
      const to = await begunWrite(at(source), source);
      const changed = await apply(to, source, changes);
      const visible = answers && changed;
      await sendAll(to, [sourceOperation(source, { state, removing: false })], { visible });
    },
    entries: (source, after, limit) => readEntries({ node, alias }, source, after, limit),
    sources: (after, limit) => readSources({ node, alias }, after, limit),
    async remove(source) {
      const from = at(source);
      const stored = await readSource(from, source);
      if (stored === undefined) return;
      const to = { ...from, version: versionAfter(stored.version) };
      await sendAll(to, [sourceOperation(source, { ...stored, removing: true })], { first: true });
      await purge(to, source);
      await sendAll(to, [{ id: sourceId(source) }], { visible: answers });
    },
  } satisfies SearchIndex;
}

/**
 * Versions are times, so that those of a source that was removed and is written again are greater, too. A clock that
 * was set back does no harm while the source is stored.
 */
const versionAfter = (earlier = 0): number => Math.max(Date.now(), earlier + 1);

/**
 * Marks a source before each write, so that operations of earlier writes are refused. If the first write, or a removal,
 * was interrupted, removes what it left behind, so that a source without a state is empty.
 */
async function begunWrite(from: Destination, source: IndexSource): Promise<Writing> {
  const stored = await readSource(from, source);
  const to = { ...from, version: versionAfter(stored?.version) };
  const state = stored?.removing === true ? undefined : stored?.state;
  await sendAll(to, [sourceOperation(source, { state, removing: false })], { first: true });
  if (stored !== undefined && state === undefined) await purge(to, source);
  return to;
}

/** @returns whether there was anything to change. */
async function apply(to: Writing, source: IndexSource, changes: IndexChanges): Promise<boolean> {
  const { files = [], documents = [], moved = [], removed = [] } = changes;
  const plan: MovePlan =
    moved.length > 0 ? await planMoves(to, source, changes) : { moves: [], left: new Set(), bytes: new Map() };
  // Entries that are stored again are not deleted before. Of several with the same key, the last counts.
  const newFiles = new Map(files.map((file) => [file.path, file]));
  const newDocuments = new Map(documents.map((document) => [document.key, document]));
  const deletions = function* (keys: Iterable<string>): Generator<Operation> {
    for (const key of keys) if (!newFiles.has(key) && !newDocuments.has(key)) yield { id: entryId(source, key) };
  };
  await sendAll(to, deletions(removed));
  await moveAll(to, source, plan);
  await sendAll(to, deletions(plan.left));
  await sendAll(
    to,
    operationsOf(newFiles.values(), (file) => fileOperation(source, file, file)),
  );
  await sendAll(
    to,
    operationsOf(newDocuments.values(), (document) => documentOperation(source, document)),
  );
  return files.length + documents.length + moved.length + removed.length > 0;
}

/** One at a time, because all of them together may need much memory. */
function* operationsOf<T>(things: Iterable<T>, operationOf: (thing: T) => Operation): Generator<Operation> {
  for (const thing of things) yield operationOf(thing);
}

/** Entries of one round. */
const purged = 1000;

/** Removes all entries of a source. */
async function purge(to: Writing, source: IndexSource): Promise<void> {
  await refresh(to);
  for (let last: unknown; ;) {
    const { body } = await to.node.ask({
      method: 'POST',
      path: [to.alias, '_search'],
      query: { routing: to.routing, allow_partial_search_results: false },
      body: { query: entriesOf(source), size: purged, _source: false, track_total_hits: false },
      ms: 20_000,
    });
    const hits = list(members(members(body)['hits'])['hits']);
    const operations = hits.map((hit) => ({ id: text(members(hit)['_id']) }));
    const [first] = operations;
    if (first === undefined) return;
    // An entry that is found again was not removed.
    if (first.id === last) throw new Malformed();
    last = first.id;
    await sendAll(to, operations, { visible: true });
  }
}
