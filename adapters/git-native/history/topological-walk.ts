// A topological walk of the commits reachable from some tips, children before parents. Recent commits are read as
// objects, the others from the commit-graph.
import type { Oid } from '#core/repositories/git/git-backend';
import type { ReadObject } from '../objects/cat-file.ts';
import { parseCommit, type Commit, type Objects } from '../objects/objects.ts';
import type { RepositoryLocation } from '../storage/repositories.ts';
import type { CommitGraph } from './commit-graph.ts';

/** A commit: its position in the commit-graph, or its oid if it is not in the graph. */
export type CommitNode = number | Oid;

export interface WalkStep {
  readonly commit: CommitNode;
  readonly parents: readonly CommitNode[];
}

export interface TopologicalWalkParts {
  readonly objects: Objects;
  readonly location: RepositoryLocation;
  readonly graph: CommitGraph | undefined;
}

/**
 * The maximum number of commits outside the commit-graph, and the maximum bytes of each. Beyond these git does the
 * walk.
 */
const newerAtMost = 300;
const largestNewer = 64 * 1024;

export class TopologicalWalk {
  readonly #graph: CommitGraph | undefined;
  /** The next step is the last element. */
  readonly #newer: WalkStep[];
  readonly #queue: GenerationQueue | undefined;

  private constructor(graph: CommitGraph | undefined, newer: readonly WalkStep[], positions: readonly number[]) {
    this.#graph = graph;
    this.#newer = newer.toReversed();
    this.#queue = graph === undefined ? undefined : new GenerationQueue(graph, positions);
  }

  /** Undefined if too many commits are outside the commit-graph, or if one of them cannot be read. */
  static async from(
    { objects, location, graph }: TopologicalWalkParts,
    tips: readonly Oid[],
  ): Promise<TopologicalWalk | undefined> {
    const nodeOf = (oid: Oid): CommitNode => nodeIn(graph, oid);
    const newer = new Map<Oid, readonly CommitNode[]>();
    const positions: number[] = [];
    for (let named: readonly CommitNode[] = tips.map(nodeOf); named.length > 0;) {
      positions.push(...named.filter((node) => typeof node === 'number'));
      const unread = [...new Set(named.filter((node) => typeof node === 'string' && !newer.has(node)) as Oid[])];
      if (newer.size + unread.length > newerAtMost) return undefined;
      const commits = await Promise.all(
        unread.map(async (oid) => readCommit(oid, await objects.small(location, oid, largestNewer))),
      );
      if (commits.includes(undefined)) return undefined;
      named = commits.flatMap((commit) => {
        if (commit === undefined) return [];
        const parents = commit.parents.map(nodeOf);
        newer.set(commit.oid, parents);
        return parents;
      });
    }
    return new TopologicalWalk(graph, childrenFirst(newer), positions);
  }

  /** False if the commit-graph is inconsistent. The steps so far may then be incomplete or out of order. */
  get sound(): boolean {
    return this.#queue?.sound ?? true;
  }

  nodeOf(oid: Oid): CommitNode {
    return nodeIn(this.#graph, oid);
  }

  /** The next step; undefined when the walk is complete. */
  next(): WalkStep | undefined {
    // The parents of commits in the graph are in the graph too, so commits outside it never follow these.
    return this.#newer.pop() ?? this.#queue?.take();
  }
}

const nodeIn = (graph: CommitGraph | undefined, oid: Oid): CommitNode => graph?.position(oid) ?? oid;

const readCommit = (oid: Oid, object: ReadObject | undefined): Commit | undefined =>
  object?.type === 'commit' && object.content !== undefined ? parseCommit(oid, object.content) : undefined;

/** Sorts commits so that parents follow their children. Parents that are not keys are ignored. */
function childrenFirst(commits: ReadonlyMap<Oid, readonly CommitNode[]>): readonly WalkStep[] {
  const children = new Map<CommitNode, number>();
  for (const parents of commits.values())
    for (const parent of parents) children.set(parent, (children.get(parent) ?? 0) + 1);
  const ready = [...commits.keys()].filter((oid) => !children.has(oid));
  const steps: WalkStep[] = [];
  for (let oid = ready.pop(); oid !== undefined; oid = ready.pop()) {
    const parents = commits.get(oid) ?? [];
    steps.push({ commit: oid, parents });
    for (const parent of parents) {
      const left = (children.get(parent) ?? 0) - 1;
      children.set(parent, left);
      if (left === 0 && typeof parent === 'string') ready.push(parent);
    }
  }
  return steps;
}

/**
 * A priority queue of the commits of a graph, as buckets by generation number. The number of a commit is higher than
 * those of its parents. Each commit is taken once, which adds its parents.
 */
class GenerationQueue {
  readonly #graph: CommitGraph;
  /** Per generation: one more than the position added last, 0 for an empty bucket. */
  readonly #last: Uint32Array;
  /**
   * Per position: one more than the position added before it in the same generation, `end` for the first one, 0 for a
   * position that was not added.
   */
  readonly #before: Uint32Array;
  #generation = 0;
  sound: boolean;

  constructor(graph: CommitGraph, positions: readonly number[]) {
    this.#graph = graph;
    const highest = Math.max(0, ...positions.map((position) => graph.generation(position)));
    // No generation number can exceed the number of commits.
    this.sound = highest <= graph.count;
    this.#last = new Uint32Array(this.sound ? highest + 1 : 0);
    this.#before = new Uint32Array(graph.count);
    this.#generation = highest + 1;
    for (const position of positions) this.#add(position);
    this.#generation = highest;
  }

  take(): WalkStep | undefined {
    while (this.#generation > 0 && this.#last[this.#generation] === 0) this.#generation -= 1;
    if (this.#generation === 0) return undefined;
    const commit = (this.#last[this.#generation] ?? 0) - 1;
    const before = this.#before[commit] ?? end;
    this.#last[this.#generation] = before === end ? 0 : before;
    const parents = this.#graph.parentsAt(commit);
    for (const parent of parents) this.#add(parent);
    return { commit, parents };
  }

  #add(position: number): void {
    const generation = this.#graph.generation(position);
    if (generation === 0 || generation >= this.#generation) this.sound = false;
    if (!this.sound || this.#before[position] !== 0) return;
    const last = this.#last[generation] ?? 0;
    this.#before[position] = last === 0 ? end : last;
    this.#last[generation] = position + 1;
  }
}

const end = 2 ** 32 - 1;
