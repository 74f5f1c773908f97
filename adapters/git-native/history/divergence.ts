// Counts how far many heads are ahead of and behind one base in a shared walk, which stops where all histories have
// met. The counts are kept in an LRU cache by pair.
import { Internal, Unavailable } from '#core/kernel/errors';
import { Lru } from '#core/kernel/limits/lru';
import type { Oid } from '#core/repositories/git/git-backend';
import type { Divergence } from '#core/repositories/git/git-refs';
import type { Objects } from '../objects/objects.ts';
import type { GitProcesses } from '../process/git-process.ts';
import type { Limiter } from '../process/limiter.ts';
import { linesOf } from '../process/lines.ts';
import { TimeSlice } from '../process/time-slice.ts';
import { refuseTooCostly, TooCostly } from '../process/too-costly.ts';
import { isOid } from '../names.ts';
import type { RepositoryLocation } from '../storage/repositories.ts';
import { AheadBehindCounter } from './ahead-behind.ts';
import type { CommitGraphs } from './commit-graph.ts';
import { TopologicalWalk } from './topological-walk.ts';

export class Divergences {
  readonly #objects: Objects;
  readonly #graphs: CommitGraphs;
  readonly #processes: GitProcesses;
  /** Allows few walks at the same time, because all of them run on this thread. */
  readonly #limiter: Limiter;
  readonly #heavy: Limiter;
  readonly #deadlineMs: number;
  readonly #known = new Lru<Divergence>(200_000);

  constructor(parts: {
    readonly objects: Objects;
    readonly graphs: CommitGraphs;
    readonly processes: GitProcesses;
    readonly limiter: Limiter;
    readonly heavy: Limiter;
    readonly deadlineMs: number;
  }) {
    this.#objects = parts.objects;
    this.#graphs = parts.graphs;
    this.#processes = parts.processes;
    this.#limiter = parts.limiter;
    this.#heavy = parts.heavy;
    this.#deadlineMs = parts.deadlineMs;
  }

  async of(
    location: RepositoryLocation,
    base: Oid,
    heads: readonly Oid[],
    signal?: AbortSignal,
  ): Promise<ReadonlyMap<Oid, Divergence>> {
    const found = new Map<Oid, Divergence>();
    const unknown = new Set<Oid>();
    for (const head of heads) {
      const known = head === base ? { ahead: 0, behind: 0 } : this.#known.get(keyOf(location, base, head));
      if (known !== undefined) found.set(head, known);
      else if (isOid(head)) unknown.add(head);
    }
    if (unknown.size === 0 || !isOid(base)) return found;
    const asked = [...unknown];
    const counted =
      (await this.#limiter.run(() => this.#count(location, base, asked, signal), signal)) ??
      (await this.#heavy.run(() => this.#countByGit(location, base, asked, signal), signal));
    for (const [index, divergence] of counted.entries()) {
      const head = asked[index] ?? '';
      this.#known.set(keyOf(location, base, head), divergence);
      found.set(head, divergence);
    }
    return found;
  }

  forget(location: RepositoryLocation): void {
    this.#known.forget(`${location.id}:`);
  }

  /** Undefined if the walk cannot be done here: the commit-graph is inconsistent, or too many commits are not in it. */
  async #count(
    location: RepositoryLocation,
    base: Oid,
    heads: readonly Oid[],
    signal?: AbortSignal,
  ): Promise<readonly Divergence[] | undefined> {
    const walk = await TopologicalWalk.from(
      { objects: this.#objects, location, graph: await this.#graphs.of(location) },
      [base, ...heads],
    );
    if (walk === undefined) return undefined;
    const counter = new AheadBehindCounter(
      walk.nodeOf(base),
      heads.map((head) => walk.nodeOf(head)),
    );
    const giveUpAt = performance.now() + this.#deadlineMs;
    const slice = new TimeSlice();
    for (let step = walk.next(); step !== undefined && walk.sound && !counter.finished; step = walk.next()) {
      counter.take(step);
      if (!slice.over) continue;
      await slice.rest();
      signal?.throwIfAborted();
      if (performance.now() > giveUpAt)
        throw new TooCostly(`Counting commits was stopped: it was not done after ${this.#deadlineMs / 1000} s`);
    }
    return walk.sound ? counter.result() : undefined;
  }

  async #countByGit(
    location: RepositoryLocation,
    base: Oid,
    heads: readonly Oid[],
    signal?: AbortSignal,
  ): Promise<readonly Divergence[]> {
    // Date order interleaves the histories, so that the counter finishes where they meet; parents always follow their
    // children.
    const process = await this.#processes.start(
      [`--git-dir=${location.directory}`, 'rev-list', '--parents', '--date-order', '--stdin'],
      {
        directory: location.directory,
        deadlineMs: this.#deadlineMs,
        ...(signal !== undefined && { signal }),
      },
    );
    process.stdin.end([base, ...heads].map((oid) => `${oid}\n`).join(''));
    const counter = new AheadBehindCounter(base, heads);
    try {
      for await (const lines of linesOf(process)) {
        for (const line of lines) {
          const [commit = '', ...parents] = line.split(' ');
          counter.take({ commit, parents });
        }
        if (counter.finished) return counter.result();
      }
      const { code } = await process.ended;
      signal?.throwIfAborted();
      refuseTooCostly(process, 'rev-list');
      if (code === null)
        throw new Unavailable(`git rev-list was stopped: ${process.stopped ?? 'by a signal'}`, {
          detail: 'Try again, or without include_divergence',
        });
      if (code !== 0)
        throw new Internal(`git rev-list failed in repository "${location.id}"`, { detail: process.stderr });
      return counter.result();
    } finally {
      // The end of the process is not awaited.
      void process.stop('what follows is common to all');
    }
  }
}

const keyOf = (location: RepositoryLocation, base: Oid, head: Oid): string => `${location.id}:${base}:${head}`;
