// Counts how many commits each head is ahead of and behind a base, from commits in topological order.
import type { Divergence } from '#core/repositories/git-refs';
import type { CommitNode, WalkStep } from './topological-walk.ts';

/**
 * Carries from each commit to its parents the set of tips that reach it. Bit 0 is the base, bit n + 1 the nth head. A
 * commit counts for the heads that reach it without the base, or the other way round; where all tips reach it there is
 * nothing to count any more.
 */
export class AheadBehindCounter {
  readonly #full: Uint32Array;
  /** Commits that were named and did not come by yet. */
  readonly #pending = new Map<CommitNode, Uint32Array>();
  readonly #ahead: Uint32Array;
  readonly #behind: Uint32Array;
  /** Pending ones that not all tips reach. */
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

  /** Whether what follows changes nothing. */
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
    // Most commits have one parent, which takes their set as it is.
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

  /** The set becomes the commit's own, where it has none. */
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
