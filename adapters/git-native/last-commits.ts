// The last commit that changed each entry of a folder: a walk that compares trees, exact as `git log -1 -- path` with its default simplification.
import type { LastCommit, Oid } from '#core/repositories/git-backend';
import type { Lane } from './lane.ts';
import type { GitLimits } from './limits.ts';
import { Lru } from './lru.ts';
import type { Log } from '#core/kernel/log';
import { segments } from './names.ts';
import { readable, type Commit, type Objects, type Place, type RawTree } from './objects.ts';

/** By raw name. */
type Answers = Map<string, LastCommit>;

interface Walk {
  readonly found: Answers;
  readonly done: Promise<void>;
}

/** A commit on the way back, with the entries that stand there as they do in the commit asked for. */
interface Stop {
  readonly commit: Commit;
  readonly names: string[];
}

/** Commits of the first-parent line read ahead of the walk, so that it waits for few answers one by one. */
const ahead = 32;
const sliceMs = 8;

export class LastCommits {
  readonly #objects: Objects;
  readonly #lane: Lane;
  readonly #limits: GitLimits;
  readonly #log: Log;
  /** Whole answers, weighed by entries. */
  readonly #answers = new Lru<ReadonlyMap<string, LastCommit>>(100_000);
  readonly #walks = new Map<string, Walk>();
  #closed = false;

  constructor(parts: { readonly objects: Objects; readonly lane: Lane; readonly limits: GitLimits; readonly log: Log }) {
    this.#objects = parts.objects;
    this.#lane = parts.lane;
    this.#limits = parts.limits;
    this.#log = parts.log;
  }

  async of(place: Place, commit: Oid, path: string, signal?: AbortSignal): Promise<ReadonlyMap<string, LastCommit>> {
    const parts = segments(path);
    if (parts === undefined) return new Map();
    signal?.throwIfAborted();
    const key = keyOf(place, commit, path);
    const known = this.#answers.get(key);
    if (known !== undefined) return named(known);
    if (!(await this.#objects.is(place, commit, 'commit'))) return new Map();
    const walk = this.#walks.get(key) ?? this.#begin(key, place, commit, parts, path);
    await this.#patiently(walk.done, signal);
    return named(walk.found);
  }

  forget(place: Place): void {
    this.#answers.forget(`${place.id}:`);
  }

  close(): void {
    this.#closed = true;
  }

  #begin(key: string, place: Place, commit: Oid, parts: readonly string[], path: string): Walk {
    const found: Answers = new Map();
    const done = this.#lane.run(async () => {
      const whole = await this.#walk(place, commit, parts, path, found);
      if (whole) this.#answers.set(key, found, 1 + found.size);
    }).catch((error: unknown) => {
      this.#log.warn({ repository: place.id, commit, err: error }, 'the last commits of a folder could not be found');
    }).finally(() => this.#walks.delete(key));
    const walk = { found, done };
    this.#walks.set(key, walk);
    return walk;
  }

  /** Until the walk is done, the patience of a request has ended or the client has gone. */
  async #patiently(done: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
    let stop = (): void => undefined;
    const enough = new Promise<void>((resolve, reject) => {
      const timer = setTimeout(resolve, this.#limits.lastCommitSeconds * 1000);
      const leave = (): void => reject(signal?.reason);
      signal?.addEventListener('abort', leave, { once: true });
      stop = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', leave);
      };
    });
    try {
      await Promise.race([done, enough]);
    } finally {
      stop();
    }
  }

  /** Fills `found`. @returns whether every entry has its answer. */
  async #walk(place: Place, tip: Oid, parts: readonly string[], path: string, found: Answers): Promise<boolean> {
    const start = await this.#objects.commit(place, tip);
    const entries = start === undefined ? undefined : await this.#folder(place, start, parts);
    if (start === undefined || entries === undefined) return true;
    const giveUpAt = performance.now() + this.#limits.walkSeconds * 1000;
    const frontier = new Frontier();
    frontier.add(start, [...entries.keys()]);
    let sliceEnd = performance.now() + sliceMs;
    let untilAhead = 0;
    for (let stop = frontier.take(); stop !== undefined; stop = frontier.take()) {
      if (this.#closed || performance.now() > giveUpAt) return false;
      const known = stop.commit.oid === tip ? undefined : this.#answers.get(keyOf(place, stop.commit.oid, path));
      if (known === undefined) {
        if (untilAhead === 0) void this.#readAhead(place, stop.commit, parts);
        untilAhead = untilAhead === 0 ? ahead / 2 : untilAhead - 1;
        await this.#step(place, stop, parts, frontier, found);
      } else {
        for (const name of stop.names) {
          const answer = known.get(name);
          if (answer !== undefined) found.set(name, answer);
        }
      }
      if (performance.now() > sliceEnd) {
        await new Promise((resolve) => setImmediate(resolve));
        sliceEnd = performance.now() + sliceMs;
      }
    }
    return true;
  }

  /**
   * An entry goes on to the first parent where it is the same, which is the only one `git log` follows then;
   * where no parent has it so, this commit is the one.
   */
  async #step(place: Place, { commit, names }: Stop, parts: readonly string[], frontier: Frontier, found: Answers): Promise<void> {
    const own = await this.#folder(place, commit, parts);
    let rest = names;
    for (const parent of await Promise.all(commit.parents.map((oid) => this.#objects.commit(place, oid)))) {
      if (rest.length === 0) return;
      const theirs = parent === undefined ? undefined : await this.#folder(place, parent, parts);
      if (parent === undefined || theirs === undefined) continue;
      if (theirs === own) {
        frontier.add(parent, rest);
        return;
      }
      const left: string[] = [];
      const same: string[] = [];
      for (const name of rest) (theirs.get(name) === own?.get(name) ? same : left).push(name);
      if (same.length > 0) frontier.add(parent, same);
      rest = left;
    }
    const last: LastCommit = { oid: commit.oid, subject: commit.subject, committedAt: new Date(commit.committed * 1000) };
    for (const name of rest) found.set(name, last);
  }

  async #folder(place: Place, commit: Commit, parts: readonly string[]): Promise<RawTree | undefined> {
    const oid = await this.#objects.folder(place, commit.tree, parts);
    return oid === undefined ? undefined : await this.#objects.tree(place, oid);
  }

  async #readAhead(place: Place, from: Commit, parts: readonly string[]): Promise<void> {
    try {
      let next = from.parents[0];
      for (let read = 0; read < ahead && next !== undefined; read += 1) {
        const commit: Commit | undefined = await this.#objects.commit(place, next);
        if (commit === undefined) return;
        // Its failure is the walk's to report, when it comes there.
        this.#folder(place, commit, parts).catch(() => undefined);
        next = commit.parents[0];
      }
    } catch {
      // As above.
    }
  }
}

/** Commits to look at, youngest first, so that entries that took different ways meet again. */
class Frontier {
  readonly #names = new Map<Oid, string[]>();
  /** Oldest first. */
  readonly #order: Commit[] = [];

  add(commit: Commit, names: readonly string[]): void {
    const waiting = this.#names.get(commit.oid);
    if (waiting !== undefined) {
      for (const name of names) waiting.push(name);
      return;
    }
    this.#names.set(commit.oid, [...names]);
    let low = 0;
    for (let high = this.#order.length; low < high;) {
      const middle = (low + high) >>> 1;
      if ((this.#order[middle]?.committed ?? 0) <= commit.committed) low = middle + 1;
      else high = middle;
    }
    this.#order.splice(low, 0, commit);
  }

  take(): Stop | undefined {
    const commit = this.#order.pop();
    const names = commit === undefined ? undefined : this.#names.get(commit.oid);
    if (commit === undefined || names === undefined) return undefined;
    this.#names.delete(commit.oid);
    return { commit, names };
  }
}

/** A commit oid has a fixed length, so the path cannot be mistaken for a part of it. */
const keyOf = (place: Place, commit: Oid, path: string): string => `${place.id}:${commit}:${path}`;

function named(answers: ReadonlyMap<string, LastCommit>): ReadonlyMap<string, LastCommit> {
  return new Map([...answers].map(([name, answer]) => [readable(name), answer]));
}
