// Counts how far many heads are ahead of and behind one base in a shared walk, which stops where all histories have
// met. The counts are kept in an LRU cache by pair.
import { Lru } from '#core/kernel/limits/lru';
import type { Oid } from '#core/repositories/git/git-backend';
import type { Divergence } from '#core/repositories/git/git-refs';
import type { Objects } from '../objects/objects.ts';
import type { Foundation } from '../foundation.ts';
import { linesOf } from '../process/records.ts';
import { TimeSlice } from '#adapters/git-common/waiting/time-slice';
import { TooCostly } from '../process/too-costly.ts';
import { isOid } from '#adapters/git-common/names';
import type { RepositoryLocation } from '../storage/repositories.ts';
import { AheadBehindCounter } from './ahead-behind.ts';
import type { CommitGraphs } from './commit-graph.ts';
import { TopologicalWalk } from './topological-walk.ts';
import { WithParts } from '../with-parts.ts';

type DivergenceParts = Foundation & { readonly objects: Objects; readonly graphs: CommitGraphs };

export class Divergences extends WithParts<DivergenceParts> {
  /** Allows few walks at the same time, because all of them run on this thread. */
  readonly #walks = this.parts.limiter('counts', 2);
  readonly #known = new Lru<Divergence>(200_000);

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
      (await this.#walks.run(() => this.#count(location, base, asked, signal), signal)) ??
      (await this.parts.heavy.run(() => this.#countByGit(location, base, asked, signal), signal));
    for (const [index, divergence] of counted.entries()) {
      const head = asked[index] ?? '';
      this.#known.set(keyOf(location, base, head), divergence);
      found.set(head, divergence);
    }
    return found;
  }

  /** Undefined if the walk cannot be done here: the commit-graph is inconsistent, or too many commits are not in it. */
  async #count(
    location: RepositoryLocation,
    base: Oid,
    heads: readonly Oid[],
    signal?: AbortSignal,
  ): Promise<readonly Divergence[] | undefined> {
    const { objects, graphs, deadlineMs } = this.parts;
    const walk = await TopologicalWalk.from({ objects, location, graph: await graphs.of(location) }, [base, ...heads]);
    if (walk === undefined) return undefined;
    const counter = new AheadBehindCounter(
      walk.nodeOf(base),
      heads.map((head) => walk.nodeOf(head)),
    );
    const giveUpAt = performance.now() + deadlineMs;
    const slice = new TimeSlice();
    for (let step = walk.next(); step !== undefined && walk.sound && !counter.finished; step = walk.next()) {
      counter.take(step);
      if (!slice.over) continue;
      await slice.rest();
      signal?.throwIfAborted();
      if (performance.now() > giveUpAt)
        throw new TooCostly(`Counting commits was stopped: it was not done after ${deadlineMs / 1000} s`);
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
    const { processes, deadlineMs } = this.parts;
    const input = [base, ...heads].map((oid) => `${oid}\n`).join('');
    const args = ['rev-list', '--parents', '--date-order', '--stdin'];
    const process = await processes.startIn(location, args, { input, deadlineMs, signal });
    const counter = new AheadBehindCounter(base, heads);
    try {
      for await (const lines of linesOf(process)) {
        for (const line of lines) {
          const [commit = '', ...parents] = line.split(' ');
          counter.take({ commit, parents });
        }
        if (counter.finished) return counter.result();
      }
      await process.success('Try again, or without include_divergence');
      return counter.result();
    } finally {
      // The end of the process is not awaited.
      void process.stop('what follows is common to all');
    }
  }
}

const keyOf = (location: RepositoryLocation, base: Oid, head: Oid): string => `${location.cacheKey}:${base}:${head}`;
