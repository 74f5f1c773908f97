// How far heads stand from a base: one walk for all of them, until what follows is common to all; cached by pair.
import { Internal, Unavailable } from '#core/kernel/errors';
import { Lru } from '#core/kernel/lru';
import type { Oid } from '#core/repositories/git-backend';
import type { Divergence } from '#core/repositories/git-refs';
import type { CommitGraphs } from './commit-graph.ts';
import { Descent } from './topological-walk.ts';
import type { Lane } from '../process/limiter.ts';
import { linesOf } from '../process/lines.ts';
import { isOid } from '../refs/names.ts';
import type { Objects, Place } from '../objects/objects.ts';
import type { GitProcesses } from '../process/git-process.ts';
import { ReachCounter } from './ahead-behind.ts';

/** Other requests are served in between. */
const sliceMs = 4;

export class Divergences {
  readonly #objects: Objects;
  readonly #graphs: CommitGraphs;
  readonly #processes: GitProcesses;
  /** One walk at a time, for there is one thread to walk in. */
  readonly #lane: Lane;
  readonly #heavy: Lane;
  readonly #deadlineMs: number;
  readonly #known = new Lru<Divergence>(200_000);

  constructor(parts: {
    readonly objects: Objects;
    readonly graphs: CommitGraphs;
    readonly processes: GitProcesses;
    readonly lane: Lane;
    readonly heavy: Lane;
    readonly deadlineMs: number;
  }) {
    this.#objects = parts.objects;
    this.#graphs = parts.graphs;
    this.#processes = parts.processes;
    this.#lane = parts.lane;
    this.#heavy = parts.heavy;
    this.#deadlineMs = parts.deadlineMs;
  }

  async of(
    place: Place,
    base: Oid,
    heads: readonly Oid[],
    signal?: AbortSignal,
  ): Promise<ReadonlyMap<Oid, Divergence>> {
    const found = new Map<Oid, Divergence>();
    const unknown = new Set<Oid>();
    for (const head of heads) {
      const known = head === base ? { ahead: 0, behind: 0 } : this.#known.get(keyOf(place, base, head));
      if (known !== undefined) found.set(head, known);
      else if (isOid(head)) unknown.add(head);
    }
    if (unknown.size === 0 || !isOid(base)) return found;
    const asked = [...unknown];
    const counted =
      (await this.#lane.run(() => this.#count(place, base, asked, signal), signal)) ??
      (await this.#heavy.run(() => this.#countByGit(place, base, asked, signal), signal));
    for (const [index, divergence] of counted.entries()) {
      const head = asked[index] ?? '';
      this.#known.set(keyOf(place, base, head), divergence);
      found.set(head, divergence);
    }
    return found;
  }

  forget(place: Place): void {
    this.#known.forget(`${place.id}:`);
  }

  /** Undefined where the graph does not tell. */
  async #count(
    place: Place,
    base: Oid,
    heads: readonly Oid[],
    signal?: AbortSignal,
  ): Promise<readonly Divergence[] | undefined> {
    const descent = await Descent.from({ objects: this.#objects, place, graph: await this.#graphs.of(place) }, [
      base,
      ...heads,
    ]);
    if (descent === undefined) return undefined;
    const counter = new ReachCounter(
      descent.nodeOf(base),
      heads.map((head) => descent.nodeOf(head)),
    );
    let sliceEnd = performance.now() + sliceMs;
    for (let step = descent.next(); step !== undefined && descent.sound && !counter.finished; step = descent.next()) {
      counter.take(step);
      if (performance.now() < sliceEnd) continue;
      await new Promise((resolve) => setImmediate(resolve));
      signal?.throwIfAborted();
      sliceEnd = performance.now() + sliceMs;
    }
    return descent.sound ? counter.result() : undefined;
  }

  async #countByGit(
    place: Place,
    base: Oid,
    heads: readonly Oid[],
    signal?: AbortSignal,
  ): Promise<readonly Divergence[]> {
    // By date, so that lines of work are read side by side down to where they meet; never a parent before its children.
    const process = await this.#processes.start(
      [`--git-dir=${place.directory}`, 'rev-list', '--parents', '--date-order', '--stdin'],
      {
        directory: place.directory,
        deadlineMs: this.#deadlineMs,
        ...(signal !== undefined && { signal }),
      },
    );
    process.stdin.end([base, ...heads].map((oid) => `${oid}\n`).join(''));
    const counter = new ReachCounter(base, heads);
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
      if (code === null)
        throw new Unavailable(`git rev-list was stopped: ${process.stopped ?? 'by a signal'}`, {
          detail: 'Try again, or without include_divergence',
        });
      if (code !== 0)
        throw new Internal(`git rev-list failed in repository "${place.id}"`, { detail: process.complaint });
      return counter.result();
    } finally {
      // Nobody waits for its end.
      void process.stop('what follows is common to all');
    }
  }
}

const keyOf = (place: Place, base: Oid, head: Oid): string => `${place.id}:${base}:${head}`;
