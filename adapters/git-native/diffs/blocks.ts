// The patches of a diff cut at their `diff --git`, without holding more of one than its reader wants.
import { Buffer } from 'node:buffer';

/** Every line of content has a mark before it, so this begins a patch. */
const boundary = Buffer.from('\ndiff --git ');

/** A whole patch; undefined for one that is longer than is held. */
export type Block = Buffer | undefined;

export class Blocks {
  readonly #longest: number;
  #parts: Buffer[] = [];
  #length = 0;
  /** The end of what came, in which a boundary may have begun. As if a line had ended before the first patch. */
  #carry: Buffer = Buffer.from('\n');
  #begun = false;

  /** @param longest bytes of a patch. */
  constructor(longest: number) {
    this.#longest = longest;
  }

  /** The patches that end in what arrived. */
  *take(chunk: Buffer): Generator<Block> {
    const bytes = Buffer.concat([this.#carry, chunk]);
    let from = 0;
    for (let at = bytes.indexOf(boundary); at >= 0; at = bytes.indexOf(boundary, from)) {
      this.#hold(bytes.subarray(from, at + 1));
      from = at + 1;
      if (this.#begun) yield this.#block();
      this.#begun = true;
      this.#reset();
    }
    const kept = Math.max(from, bytes.length - boundary.length + 1);
    this.#hold(bytes.subarray(from, kept));
    this.#carry = bytes.subarray(kept);
  }

  /** The last one, when nothing more comes. */
  *end(): Generator<Block> {
    this.#hold(this.#carry);
    if (this.#begun) yield this.#block();
    this.#begun = false;
  }

  #hold(piece: Buffer): void {
    this.#length += piece.length;
    if (this.#length > this.#longest) this.#parts = [];
    else if (piece.length > 0) this.#parts.push(piece);
  }

  #block(): Block {
    return this.#length > this.#longest ? undefined : Buffer.concat(this.#parts);
  }

  #reset(): void {
    this.#parts = [];
    this.#length = 0;
  }
}
