// How far heads stand from a base: one `git rev-list` for all of them, read until what follows is common to all; cached by pair.
import { Internal, Unavailable } from '#core/kernel/errors';
import type { Oid } from '#core/repositories/git-backend';
import type { Divergence } from '#core/repositories/git-refs';
import type { Lane } from './lane.ts';
import { Lru } from '#core/kernel/lru';
import { linesOf } from './lines.ts';
import { isOid } from './names.ts';
import type { Place } from './objects.ts';
import type { GitProcesses } from './process.ts';

export class Divergences {
  readonly #processes: GitProcesses;
  readonly #lane: Lane;
  readonly #deadlineMs: number;
  readonly #known = new Lru<Divergence>(200_000);

  constructor(parts: { readonly processes: GitProcesses; readonly lane: Lane; readonly deadlineMs: number }) {
    this.#processes = parts.processes;
    this.#lane = parts.lane;
    this.#deadlineMs = parts.deadlineMs;
  }

  async of(place: Place, base: Oid, heads: readonly Oid[], signal?: AbortSignal): Promise<ReadonlyMap<Oid, Divergence>> {
    const found = new Map<Oid, Divergence>();
    const unknown = new Set<Oid>();
    for (const head of heads) {
      const known = head === base ? { ahead: 0, behind: 0 } : this.#known.get(keyOf(place, base, head));
      if (known !== undefined) found.set(head, known);
      else if (isOid(head)) unknown.add(head);
    }
    if (unknown.size === 0 || !isOid(base)) return found;
    const counted = await this.#lane.run(() => this.#count(place, base, [...unknown], signal), signal);
    for (const [head, divergence] of counted) {
      this.#known.set(keyOf(place, base, head), divergence);
      found.set(head, divergence);
    }
    return found;
  }

  forget(place: Place): void {
    this.#known.forget(`${place.id}:`);
  }

  async #count(place: Place, base: Oid, heads: readonly Oid[], signal?: AbortSignal): Promise<ReadonlyMap<Oid, Divergence>> {
    // By date, so that lines of work are read side by side down to where they meet; never a parent before its children.
    const process = await this.#processes.start([`--git-dir=${place.directory}`, 'rev-list', '--parents', '--date-order', '--stdin'], {
      directory: place.directory, deadlineMs: this.#deadlineMs, ...signal !== undefined && { signal },
    });
    process.stdin.end([base, ...heads].map((oid) => `${oid}\n`).join(''));
    const counter = new Counter(base, heads);
    try {
      for await (const lines of linesOf(process)) {
        for (const line of lines) counter.take(line);
        if (counter.finished) return counter.result();
      }
      const { code } = await process.ended;
      signal?.throwIfAborted();
      if (process.stopped !== undefined) throw new Unavailable(`git rev-list was stopped: ${process.stopped}`, { detail: 'Try again, or without include_divergence' });
      if (code !== 0) throw new Internal(`git rev-list failed in repository "${place.id}"`, { detail: process.complaint });
      return counter.result();
    } finally {
      // Nobody waits for its end.
      void process.stop('what follows is common to all');
    }
  }
}

/**
 * Carries from each commit to its parents the set of tips that reach it. Bit 0 is the base, bit n + 1 the nth head. A commit counts
 * for the heads that reach it without the base, or the other way round; where all tips reach it there is nothing to count any more.
 */
class Counter {
  readonly #heads: readonly Oid[];
  readonly #full: Uint32Array;
  /** Commits that were named and not read yet. */
  readonly #pending = new Map<Oid, Uint32Array>();
  readonly #ahead: Uint32Array;
  readonly #behind: Uint32Array;
  /** Pending ones that not all tips reach. */
  #partial = 0;

  constructor(base: Oid, heads: readonly Oid[]) {
    this.#heads = heads;
    this.#full = new Uint32Array(Math.ceil((heads.length + 1) / 32));
    this.#ahead = new Uint32Array(heads.length);
    this.#behind = new Uint32Array(heads.length);
    for (let bit = 0; bit <= heads.length; bit += 1) this.#set(this.#full, bit);
    for (const [bit, tip] of [base, ...heads].entries()) {
      const own = new Uint32Array(this.#full.length);
      this.#set(own, bit);
      this.#reach(tip, own);
    }
  }

  get finished(): boolean {
    return this.#partial === 0;
  }

  /** A line of `rev-list --parents`: the commit and its parents. */
  take(line: string): void {
    const [commit = '', ...parents] = line.split(' ');
    const bits = this.#pending.get(commit);
    if (bits === undefined) return;
    this.#pending.delete(commit);
    if (!this.#isFull(bits)) {
      this.#partial -= 1;
      this.#tally(bits);
    }
    for (const parent of parents) this.#reach(parent, bits);
  }

  result(): ReadonlyMap<Oid, Divergence> {
    return new Map(this.#heads.map((head, index) => [head, { ahead: this.#ahead[index] ?? 0, behind: this.#behind[index] ?? 0 }]));
  }

  #tally(bits: Uint32Array): void {
    const ofBase = ((bits[0] ?? 0) & 1) === 1;
    const counts = ofBase ? this.#behind : this.#ahead;
    for (const [word, held] of bits.entries()) {
      // Those that reach it without the base; or, of the base's, those that do not.
      let rest = (ofBase ? ~held & (this.#full[word] ?? 0) : held) >>> 0;
      while (rest !== 0) {
        const bit = 31 - Math.clz32(rest);
        rest = (rest ^ (1 << bit)) >>> 0;
        const head = word * 32 + bit - 1;
        counts[head] = (counts[head] ?? 0) + 1;
      }
    }
  }

  #reach(commit: Oid, bits: Uint32Array): void {
    const held = this.#pending.get(commit);
    if (held === undefined) {
      this.#pending.set(commit, bits.slice());
      if (!this.#isFull(bits)) this.#partial += 1;
      return;
    }
    const before = this.#isFull(held);
    for (const [word, more] of bits.entries()) held[word] = (held[word] ?? 0) | more;
    if (!before && this.#isFull(held)) this.#partial -= 1;
  }

  #isFull(bits: Uint32Array): boolean {
    return bits.every((word, index) => word === this.#full[index]);
  }

  #set(bits: Uint32Array, bit: number): void {
    const word = Math.floor(bit / 32);
    bits[word] = (bits[word] ?? 0) | (1 << (bit % 32));
  }
}

const keyOf = (place: Place, base: Oid, head: Oid): string => `${place.id}:${base}:${head}`;
