// Walks history back from a commit to the last change of each entry of a folder, and skips commits by the Bloom filters
// of the commit-graph.
import type { LastCommit, Oid } from '#core/repositories/git/git-backend';
import { bloomKey, mayContain, type BloomKey, type CommitGraph, type GraphCommit } from '../history/commit-graph.ts';
import { TimeSlice } from '#adapters/git-common/waiting/time-slice';
import { FolderComparisons, type Comparison, type FolderComparisonsParts } from './folder-comparisons.ts';
import { WithParts } from '../with-parts.ts';

interface FolderWalkParts extends FolderComparisonsParts {
  readonly graph: CommitGraph | undefined;
  /** The results by raw name, filled by the walk. */
  readonly found: Map<string, LastCommit>;
  /** Returns the answer about a commit. */
  readonly answer: (commit: Oid) => Promise<LastCommit | undefined>;
  /** The complete result at a commit, if an earlier walk found it. */
  readonly known: (commit: Oid) => ReadonlyMap<string, LastCommit> | undefined;
  /** Called between time slices; returns whether the walk continues. May wait for a slot. */
  readonly goesOn: () => Promise<boolean>;
}

interface Entry {
  /** Bytes as latin1. */
  readonly name: string;
  readonly key: BloomKey | undefined;
}

/** A commit in the walk, with the entries that are the same there as in the commit that the walk started from. */
interface Stop {
  readonly commit: GraphCommit;
  entries: readonly Entry[];
  /** The index of the parent to compare with next. Earlier parents do not have these entries unchanged. */
  parent: number;
  /** The comparison with that parent, while it is running. */
  awaited?: Comparison | undefined;
  prefetch: Prefetch;
}

/** Read-ahead along one line of first parents. It grows with the length of the line. */
interface Prefetch {
  next: GraphCommit | Oid | undefined;
  readonly ahead: Set<Oid>;
  depth: number;
  running: boolean;
}

/**
 * Milliseconds: a time slice, a pause, and the duration of a short walk. A short walk yields one event loop iteration
 * after each slice. A longer walk pauses instead, because a request takes several event loop iterations.
 */
const [sliceMs, restMs, shortMs] = [1, 1, 300];
/**
 * The maximum number of stops that wait for a comparison, the maximum of comparisons requested ahead on one line, and
 * the milliseconds that `#nextAnswer` waits.
 */
const waitingAtMost = 16;
const deepest = 24;
const timeLimitMs = 250;
/** The maximum number of commits skipped at once, which takes less than a time slice. */
const passedAtOnce = 200;

export class FolderWalk extends WithParts<FolderWalkParts> {
  readonly #comparisons = new FolderComparisons(this.parts);
  readonly #frontier = new Frontier();
  readonly #folderKey = bloomKey(this.parts.path);
  readonly #waiting = new Set<Promise<void>>();
  /** The first error of the work in `#waiting`. */
  #failure: { readonly error: unknown } | undefined;

  /** @returns whether every entry has a result. */
  async from(tip: Oid): Promise<boolean> {
    const { goesOn } = this.parts;
    const [start, entries] = await Promise.all([this.#commit(tip), this.#entries(tip)]);
    if (start === undefined) return true;
    if (entries.length > 0) this.#frontier.add({ commit: start, entries, parent: 0, prefetch: newPrefetch() });
    const begun = performance.now();
    let sliceEnd = begun + sliceMs;
    for (;;) {
      if (this.#failure !== undefined) throw this.#failure.error;
      const stop = this.#waiting.size < this.#comparisons.atOnce(waitingAtMost) ? this.#frontier.take() : undefined;
      if (stop === undefined) {
        if (this.#waiting.size === 0) return true;
        await this.#nextAnswer();
      } else {
        this.#visit(stop, stop.commit.oid === tip);
      }
      if (performance.now() > sliceEnd) {
        if (!(await goesOn())) return false;
        await new Promise((resolve) =>
          sliceEnd - begun < shortMs ? setImmediate(resolve) : setTimeout(resolve, restMs),
        );
        sliceEnd = performance.now() + sliceMs;
      }
    }
  }

  async #entries(tip: Oid): Promise<readonly Entry[]> {
    const { objects, location, path } = this.parts;
    const folder = await this.#comparisons.folder(tip);
    const tree = folder === undefined ? undefined : await objects.tree(location, folder);
    const slice = new TimeSlice();
    const entries: Entry[] = [];
    const wanted = new Set<string>();
    this.#comparisons.wanted = wanted;
    for (const { name } of tree?.first().entries ?? []) {
      wanted.add(name);
      entries.push({ name, key: bloomKey(path === '' ? name : `${path}/${name}`) });
      if (slice.over) await slice.rest();
    }
    return entries;
  }

  /**
   * An entry continues to the first parent in which it is the same, the only one that `git log` follows. If no parent
   * has it unchanged, this commit is the result.
   */
  #visit(stop: Stop, isTip: boolean): void {
    const { commit, prefetch } = stop;
    const known = isTip ? undefined : this.parts.known(commit.oid);
    if (known !== undefined) {
      this.#take(known, stop.entries);
      return;
    }
    prefetch.ahead.delete(commit.oid);
    for (; stop.parent < commit.parents.length && stop.entries.length > 0; stop.parent += 1) {
      const first = stop.parent === 0;
      if (first && this.#isUntouched(commit, stop.entries)) {
        this.#passOver(stop);
        return;
      }
      if (first) this.#prefetch(stop);
      else this.#askAhead(stop);
      const comparison = stop.awaited ?? this.#comparisons.of(commit.oid, commit.parents[stop.parent] ?? '');
      stop.awaited = undefined;
      if (!comparison.settled) {
        stop.awaited = comparison;
        this.#until(comparison.done.then(() => this.#frontier.add(stop)));
        return;
      }
      const { changed } = comparison;
      if (changed === undefined) continue;
      const same = changed.size === 0 ? stop.entries : stop.entries.filter(({ name }) => !changed.has(name));
      if (same.length > 0) this.#arrive(stop, same, first ? prefetch : undefined);
      stop.entries = changed.size === 0 ? [] : stop.entries.filter(({ name }) => changed.has(name));
    }
    if (stop.entries.length > 0) this.#answer(commit.oid, stop.entries);
  }

  /**
   * Requests comparisons with several of the following parents at once, because the next one rarely has the entries.
   */
  #askAhead({ commit, parent }: Stop): void {
    const end = parent + this.#comparisons.atOnce(waitingAtMost);
    for (const next of commit.parents.slice(parent + 1, end)) this.#comparisons.of(commit.oid, next);
  }

  /** Whether no entry changed since the first parent, which is the only parent that the filter covers. */
  #isUntouched({ filter }: GraphCommit, entries: readonly Entry[]): boolean {
    if (filter === undefined) return false;
    if (this.parts.path !== '' && this.#folderKey !== undefined && !mayContain(filter, this.#folderKey)) return true;
    return entries.every(({ key }) => key !== undefined && !mayContain(filter, key));
  }

  /**
   * Follows the first parents that left the entries unchanged. Stops at a commit that is older than another stop, or
   * whose result is known.
   */
  #passOver({ commit, entries, prefetch }: Stop): void {
    const { graph, known } = this.parts;
    let last = commit;
    for (let passed = 1; passed < passedAtOnce; passed += 1) {
      const next = graph?.parent(last, 0);
      if (
        next === undefined ||
        next.positions.length === 0 ||
        next.committed < this.#frontier.youngest ||
        known(next.oid) !== undefined ||
        !this.#isUntouched(next, entries)
      )
        break;
      prefetch.ahead.delete(next.oid);
      last = next;
    }
    this.#arrive({ commit: last, entries, parent: 0, prefetch }, entries, prefetch);
  }

  /** Adds the parent that the stop has reached to the frontier. */
  #arrive({ commit, parent }: Stop, entries: readonly Entry[], prefetch: Prefetch | undefined): void {
    const add = (found: GraphCommit | undefined): void => {
      if (found !== undefined)
        this.#frontier.add({ commit: found, entries, parent: 0, prefetch: prefetch ?? newPrefetch() });
    };
    const known = this.parts.graph?.parent(commit, parent);
    if (known === undefined) this.#until(this.#commit(commit.parents[parent] ?? '').then(add));
    else add(known);
  }

  /** Waits for the next result, at most `timeLimitMs`, so that `goesOn` is also called while a comparison is slow. */
  async #nextAnswer(): Promise<void> {
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, timeLimitMs);
    await Promise.race([late, ...this.#waiting]).finally(() => clearTimeout(timer));
  }

  #until(work: Promise<void>): void {
    const waiting = work
      .catch((error: unknown) => {
        this.#failure ??= { error };
      })
      .finally(() => this.#waiting.delete(waiting));
    this.#waiting.add(waiting);
  }

  #answer(oid: Oid, entries: readonly Entry[]): void {
    this.#until(
      this.parts.answer(oid).then((last) => {
        if (last === undefined) return;
        for (const { name } of entries) this.parts.found.set(name, last);
      }),
    );
  }

  #take(known: ReadonlyMap<string, LastCommit>, entries: readonly Entry[]): void {
    for (const { name } of entries) {
      const answer = known.get(name);
      if (answer !== undefined) this.parts.found.set(name, answer);
    }
  }

  async #commit(oid: Oid): Promise<GraphCommit | undefined> {
    const { graph, objects, location } = this.parts;
    const known = graph?.find(oid);
    if (known !== undefined) return known;
    const read = await objects.commit(location, oid);
    return read === undefined
      ? undefined
      : { oid, parents: read.parents, committed: read.committed, filter: undefined, positions: [] };
  }

  #prefetch({ commit, entries, prefetch }: Stop): void {
    if (prefetch.running) return;
    // All commits that were read ahead have been visited, so reading continues from this one.
    if (prefetch.ahead.size === 0) prefetch.next = this.#firstParent(commit);
    prefetch.running = true;
    // Ignored: the walk gets the error when it reaches the commit.
    this.#runAhead(prefetch, entries)
      .catch(() => undefined)
      .finally(() => {
        prefetch.depth = this.#comparisons.atOnce(Math.min(Math.max(1, 2 * prefetch.depth), deepest));
        prefetch.running = false;
      });
  }

  async #runAhead(prefetch: Prefetch, entries: readonly Entry[]): Promise<void> {
    for (
      let passed = 0;
      passed < passedAtOnce && prefetch.next !== undefined && prefetch.ahead.size < prefetch.depth;
      passed += 1
    ) {
      const commit = typeof prefetch.next === 'string' ? await this.#commit(prefetch.next) : prefetch.next;
      prefetch.next = commit === undefined ? undefined : this.#firstParent(commit);
      if (commit === undefined || prefetch.next === undefined || this.#isUntouched(commit, entries)) continue;
      prefetch.ahead.add(commit.oid);
      this.#comparisons.of(commit.oid, typeof prefetch.next === 'string' ? prefetch.next : prefetch.next.oid);
    }
  }

  #firstParent(commit: GraphCommit): GraphCommit | Oid | undefined {
    return this.parts.graph?.parent(commit, 0) ?? commit.parents[0];
  }
}

const newPrefetch = (): Prefetch => ({ next: undefined, ahead: new Set(), depth: 0, running: false });

/** Stops, youngest first, so that entries that followed different parents meet again. */
class Frontier {
  readonly #stops = new Map<Oid, Stop>();
  /** Oldest first. */
  readonly #order: Stop[] = [];

  add(stop: Stop): void {
    const { commit } = stop;
    const waiting = this.#stops.get(commit.oid);
    // Two stops at a commit are joined only if neither has been compared with a parent.
    if (waiting !== undefined && waiting.parent === 0 && stop.parent === 0) {
      waiting.entries = [...waiting.entries, ...stop.entries];
      if (stop.prefetch.depth > waiting.prefetch.depth) waiting.prefetch = stop.prefetch;
      return;
    }
    if (waiting === undefined) this.#stops.set(commit.oid, stop);
    let low = 0;
    for (let high = this.#order.length; low < high;) {
      const middle = (low + high) >>> 1;
      if ((this.#order[middle]?.commit.committed ?? 0) <= commit.committed) low = middle + 1;
      else high = middle;
    }
    this.#order.splice(low, 0, stop);
  }

  get youngest(): number {
    return this.#order.at(-1)?.commit.committed ?? 0;
  }

  take(): Stop | undefined {
    const stop = this.#order.pop();
    if (stop !== undefined && this.#stops.get(stop.commit.oid) === stop) this.#stops.delete(stop.commit.oid);
    return stop;
  }
}
