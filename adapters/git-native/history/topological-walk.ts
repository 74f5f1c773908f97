// All commits from some tips down to their roots, no parent before its children: newer ones as objects, the rest by the
// commit-graph.
import type { Oid } from '#core/repositories/git-backend';
import type { ReadObject } from '../objects/cat-file.ts';
import type { CommitGraph } from './commit-graph.ts';
import { parseCommit, type Commit, type Objects, type Place } from '../objects/objects.ts';

/** A commit by its position in the commit-graph, or by its oid where it is in none. */
export type Node = number | Oid;

export interface Step {
  readonly commit: Node;
  readonly parents: readonly Node[];
}

export interface DescentParts {
  readonly objects: Objects;
  readonly place: Place;
  readonly graph: CommitGraph | undefined;
}

/** Commits that no commit-graph holds: with more of them, or larger ones, git walks. */
const newerAtMost = 300;
const largestNewer = 64 * 1024;

export class Descent {
  readonly #graph: CommitGraph | undefined;
  /** Last first. */
  readonly #newer: Step[];
  readonly #queue: LevelQueue | undefined;

  private constructor(graph: CommitGraph | undefined, newer: readonly Step[], positions: readonly number[]) {
    this.#graph = graph;
    this.#newer = newer.toReversed();
    this.#queue = graph === undefined ? undefined : new LevelQueue(graph, positions);
  }

  /** Undefined where too many commits are in no commit-graph, or one of them cannot be read. */
  static async from({ objects, place, graph }: DescentParts, tips: readonly Oid[]): Promise<Descent | undefined> {
    const nodeOf = (oid: Oid): Node => nodeIn(graph, oid);
    const newer = new Map<Oid, readonly Node[]>();
    const positions: number[] = [];
    for (let named: readonly Node[] = tips.map(nodeOf); named.length > 0;) {
      positions.push(...named.filter((node) => typeof node === 'number'));
      const unread = [...new Set(named.filter((node) => typeof node === 'string' && !newer.has(node)) as Oid[])];
      if (newer.size + unread.length > newerAtMost) return undefined;
      const commits = await Promise.all(
        unread.map(async (oid) => readCommit(oid, await objects.small(place, oid, largestNewer))),
      );
      if (commits.includes(undefined)) return undefined;
      named = commits.flatMap((commit) => {
        if (commit === undefined) return [];
        const parents = commit.parents.map(nodeOf);
        newer.set(commit.oid, parents);
        return parents;
      });
    }
    return new Descent(graph, childrenFirst(newer), positions);
  }

  /** False where the graph contradicted itself: what was taken is not all, or not in order. */
  get sound(): boolean {
    return this.#queue?.sound ?? true;
  }

  nodeOf(oid: Oid): Node {
    return nodeIn(this.#graph, oid);
  }

  /** Undefined when all have been taken. */
  next(): Step | undefined {
    // Whatever is in the graph has its parents there: nothing newer comes after it.
    return this.#newer.pop() ?? this.#queue?.take();
  }
}

const nodeIn = (graph: CommitGraph | undefined, oid: Oid): Node => graph?.position(oid) ?? oid;

const readCommit = (oid: Oid, object: ReadObject | undefined): Commit | undefined =>
  object?.type === 'commit' && object.content !== undefined ? parseCommit(oid, object.content) : undefined;

/** Parents that are not among the keys are passed over. */
function childrenFirst(commits: ReadonlyMap<Oid, readonly Node[]>): readonly Step[] {
  const children = new Map<Node, number>();
  for (const parents of commits.values())
    for (const parent of parents) children.set(parent, (children.get(parent) ?? 0) + 1);
  const ready = [...commits.keys()].filter((oid) => !children.has(oid));
  const steps: Step[] = [];
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
 * Commits of a graph by their level, which is higher than those of their parents; each is taken once, and adds its
 * parents.
 */
class LevelQueue {
  readonly #graph: CommitGraph;
  /** By level: one more than the position that was added last, 0 for none. */
  readonly #last: Uint32Array;
  /**
   * By position: one more than the position added before it on its level; `end` for the first, 0 for one that was not
   * added.
   */
  readonly #before: Uint32Array;
  #level = 0;
  sound: boolean;

  constructor(graph: CommitGraph, positions: readonly number[]) {
    this.#graph = graph;
    const highest = Math.max(0, ...positions.map((position) => graph.level(position)));
    // No level is higher than there are commits.
    this.sound = highest <= graph.count;
    this.#last = new Uint32Array(this.sound ? highest + 1 : 0);
    this.#before = new Uint32Array(graph.count);
    this.#level = highest + 1;
    for (const position of positions) this.#add(position);
    this.#level = highest;
  }

  take(): Step | undefined {
    while (this.#level > 0 && this.#last[this.#level] === 0) this.#level -= 1;
    if (this.#level === 0) return undefined;
    const commit = (this.#last[this.#level] ?? 0) - 1;
    const before = this.#before[commit] ?? end;
    this.#last[this.#level] = before === end ? 0 : before;
    const parents = this.#graph.parentsAt(commit);
    for (const parent of parents) this.#add(parent);
    return { commit, parents };
  }

  #add(position: number): void {
    const level = this.#graph.level(position);
    if (level === 0 || level >= this.#level) this.sound = false;
    if (!this.sound || this.#before[position] !== 0) return;
    const last = this.#last[level] ?? 0;
    this.#before[position] = last === 0 ? end : last;
    this.#last[level] = position + 1;
  }
}

const end = 2 ** 32 - 1;
