// Finds the last commit that changed each entry of a folder, exactly as `git log -1 -- path` with its default history
// simplification. Walks (folder-walk.ts) are single flight per commit and folder; results are kept in an LRU cache.
import { Lru } from '#core/kernel/limits/lru';
import type { LastCommit, Oid } from '#core/repositories/git/git-backend';
import type { CommitGraphs } from '../history/commit-graph.ts';
import { subjectOf, type Commits } from '../history/commits.ts';
import type { Objects } from '../objects/objects.ts';
import { decodeName } from '#adapters/git-common/objects/text';
import type { Foundation } from '../foundation.ts';
import { HeldSlot } from '../process/limiter.ts';
import { orAborted } from '#adapters/git-common/waiting/until-aborted';
import { pathSegments } from '#adapters/git-common/names';
import type { RepositoryLocation } from '../storage/repositories.ts';
import { FolderWalk } from './folder-walk.ts';
import { TreeDiffs } from './tree-diffs.ts';
import { WithParts } from '../with-parts.ts';

/** By raw name. */
type Answers = Map<string, LastCommit>;

/** A walk without waiting callers ends if this many walks wait for another slot. Each of them keeps a git process. */
const mostResting = 16;

interface Walk {
  readonly found: Answers;
  readonly done: PromiseWithResolvers<void>;
  begun: boolean;
  waiting: number;
  /** Whether all callers disconnected. A caller that only reached its time limit is expected to return. */
  abandoned: boolean;
}

type LastCommitsParts = Foundation & {
  readonly objects: Objects;
  readonly graphs: CommitGraphs;
  readonly commits: Commits;
};

export class LastCommits extends WithParts<LastCommitsParts> {
  readonly #limiter = this.parts.limiter('walks', this.parts.limits.heavy);
  /** Complete results, weighed by entries. */
  readonly #answers = new Lru<ReadonlyMap<string, LastCommit>>(100_000);
  readonly #walks = new Map<string, Walk>();
  #resting = 0;
  #closed = false;

  async of(
    location: RepositoryLocation,
    commit: Oid,
    path: string,
    signal?: AbortSignal,
  ): Promise<ReadonlyMap<string, LastCommit>> {
    if (pathSegments(path) === undefined) return new Map();
    signal?.throwIfAborted();
    const key = keyOf(location, commit, path);
    const known = this.#answers.get(key);
    if (known !== undefined) return named(known);
    if (!(await this.parts.objects.is(location, commit, 'commit'))) return new Map();
    const walk = this.#walks.get(key) ?? newWalk();
    this.#walks.set(key, walk);
    walk.waiting += 1;
    walk.abandoned = false;
    const enough = new AbortController();
    try {
      // Each caller queues for its own slot, so that no caller depends on the place of the first one in the queue.
      const begin = this.#begin(walk, { key, location, commit, path }, enough.signal);
      await this.#patiently(Promise.race([walk.done.promise, begin.then(() => walk.done.promise)]), signal);
    } finally {
      enough.abort(new Error('nobody waits for it any more'));
      walk.waiting -= 1;
      walk.abandoned = walk.waiting === 0 && signal?.aborted === true;
      if (walk.waiting === 0 && !walk.begun && this.#walks.get(key) === walk) this.#walks.delete(key);
    }
    return named(walk.found);
  }

  close(): void {
    this.#closed = true;
  }

  /**
   * Starts the walk once there is a slot.
   * @throws {Unavailable} if the queue is full.
   */
  async #begin(
    walk: Walk,
    { key, location, commit, path }: { key: string; location: RepositoryLocation; commit: Oid; path: string },
    signal: AbortSignal,
  ): Promise<void> {
    if (walk.begun) return;
    const release = await this.#limiter.acquire(signal);
    if (walk.begun) return release();
    walk.begun = true;
    const turn = new HeldSlot(this.#limiter, release);
    void this.#walk(walk, { location, commit, path, turn })
      .then((whole) => {
        if (whole) this.#answers.set(key, walk.found, 1 + walk.found.size);
      })
      .catch((error: unknown) => {
        const about = { repository: location.id, commit, err: error };
        this.parts.log.warn(about, 'the last commits of a folder could not be found');
      })
      .finally(() => {
        turn.end();
        this.#walks.delete(key);
        walk.done.resolve();
      });
  }

  /**
   * Waits until the walk is done or the time limit of the request has passed.
   * @throws the signal's reason if the client disconnects.
   */
  async #patiently(done: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
    const enough = Promise.withResolvers<void>();
    const timer = setTimeout(enough.resolve, this.parts.limits.lastCommitSeconds * 1000);
    await orAborted(Promise.race([done, enough.promise]), signal).finally(() => clearTimeout(timer));
  }

  /**
   * Fills `found`.
   * @returns whether every entry has a result.
   */
  async #walk(
    walk: Walk,
    { location, commit: tip, path, turn }: { location: RepositoryLocation; commit: Oid; path: string; turn: HeldSlot },
  ): Promise<boolean> {
    const { objects, graphs, commits, processes, limits } = this.parts;
    const deadlineMs = limits.walkSeconds * 1000;
    const giveUpAt = performance.now() + deadlineMs;
    const diffs = new TreeDiffs({ processes, location, deadlineMs });
    try {
      return await new FolderWalk({
        objects,
        diffs,
        graph: await graphs.of(location),
        location,
        path,
        found: walk.found,
        answer: async (oid) => {
          const commit = await commits.one(location, oid);
          return commit && { oid, subject: subjectOf(commit), committedAt: commit.committer.date };
        },
        known: (commit) => this.#answers.get(keyOf(location, commit, path)),
        goesOn: async () => {
          if (turn.over && !(await this.#passed(walk, turn))) return false;
          return !this.#closed && !walk.abandoned && performance.now() < giveUpAt;
        },
      }).from(tip);
    } finally {
      // The end of the process is not awaited.
      void diffs.close();
    }
  }

  /**
   * Releases the slot and waits for another one.
   * @returns false if the walk must end, because no caller waits for it and too many walks wait for a slot. A later
   * request starts it again.
   */
  async #passed(walk: Walk, turn: HeldSlot): Promise<boolean> {
    if (walk.waiting === 0 && this.#resting >= mostResting) return false;
    this.#resting += 1;
    try {
      await turn.pass();
      return true;
    } finally {
      this.#resting -= 1;
    }
  }
}

const newWalk = (): Walk => ({
  found: new Map(),
  done: Promise.withResolvers(),
  begun: false,
  waiting: 0,
  abandoned: false,
});

/** The oid has a fixed length, so the path cannot be mistaken for a part of it. */
const keyOf = (location: RepositoryLocation, commit: Oid, path: string): string =>
  `${location.cacheKey}:${commit}:${path}`;

function named(answers: ReadonlyMap<string, LastCommit>): ReadonlyMap<string, LastCommit> {
  // ASCII names need no decoding.
  return /^[\0-\x7f]*$/.test([...answers.keys()].join(''))
    ? answers
    : new Map([...answers].map(([name, answer]) => [decodeName(name), answer]));
}
