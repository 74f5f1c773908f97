// Counts how many commits each head is ahead of and behind a base, from commits in topological order.
import type { Divergence } from '#core/repositories/git/git-refs';
import type { CommitNode, WalkStep } from './topological-walk.ts';

/**
 * Passes the set of tips that reach a commit on to its parents. Bit 0 of a set is the base, bit n + 1 is `heads[n]`. A
 * commit that a head reaches but the base does not counts as ahead for that head; one that the base reaches but a head
 * does not counts as behind. Commits that all tips reach are not counted.
 */
export class AheadBehindCounter {
  readonly #full: Uint32Array;
  /** Tips and parents that the walk has not delivered yet, with the set of tips that reach them. */
  readonly #pending = new Map<CommitNode, Uint32Array>();
  readonly #ahead: Uint32Array;
  readonly #behind: Uint32Array;
  /** The number of pending commits that not all tips reach. */
  #partial = 0;

  constructor(base: CommitNode, heads: readonly CommitNode[]) {
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

  /** Whether further commits cannot change the result. */
  get finished(): boolean {
    return this.#partial === 0;
  }

  take({ commit, parents }: WalkStep): void {
    const bits = this.#pending.get(commit);
    if (bits === undefined) return;
    this.#pending.delete(commit);
    if (!this.#isFull(bits)) {
      this.#partial -= 1;
      this.#tally(bits);
    }
    // The first parent takes over the array. Most commits have only one parent.
    const [first, ...others] = parents;
    for (const parent of others) this.#reach(parent, bits.slice());
    if (first !== undefined) this.#reach(first, bits);
  }

  /** In the order of the heads. */
  result(): readonly Divergence[] {
    return Array.from(this.#ahead, (ahead, index) => ({ ahead, behind: this.#behind[index] ?? 0 }));
  }

  #tally(bits: Uint32Array): void {
    const ofBase = ((bits[0] ?? 0) & 1) === 1;
    const counts = ofBase ? this.#behind : this.#ahead;
    for (let word = 0; word < bits.length; word += 1) {
      const held = bits[word] ?? 0;
      // The heads to count: if the base reaches the commit, those that do not reach it; otherwise those that do.
      let rest = (ofBase ? ~held & (this.#full[word] ?? 0) : held) >>> 0;
      while (rest !== 0) {
        const bit = 31 - Math.clz32(rest);
        rest = (rest ^ (1 << bit)) >>> 0;
        const head = word * 32 + bit - 1;
        counts[head] = (counts[head] ?? 0) + 1;
      }
    }
  }

  /** Adds tips to the set of a commit. A commit without a set takes over the array `bits`. */
  #reach(commit: CommitNode, bits: Uint32Array): void {
    const held = this.#pending.get(commit);
    if (held === undefined) {
      this.#pending.set(commit, bits);
      if (!this.#isFull(bits)) this.#partial += 1;
      return;
    }
    const before = this.#isFull(held);
    for (let word = 0; word < held.length; word += 1) held[word] = (held[word] ?? 0) | (bits[word] ?? 0);
    if (!before && this.#isFull(held)) this.#partial -= 1;
  }

  #isFull(bits: Uint32Array): boolean {
    for (let word = 0; word < bits.length; word += 1) if (bits[word] !== this.#full[word]) return false;
    return true;
  }

  #set(bits: Uint32Array, bit: number): void {
    const word = Math.floor(bit / 32);
    bits[word] = (bits[word] ?? 0) | (1 << (bit % 32));
  }
}
