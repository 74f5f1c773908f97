// Splits the output of a diff into patches at each `diff --git`, and keeps at most a given number of bytes per patch.

/** Starts a patch. Content cannot contain it, because each content line of a patch has a prefix character. */
const boundary = Buffer.from('\ndiff --git ');

/** A whole patch; undefined if it is longer than the limit. */
export type Block = Buffer | undefined;

export class Blocks {
  readonly #longest: number;
  #parts: Buffer[] = [];
  #length = 0;
  /**
   * The last bytes received, which may contain the start of a boundary. Initially a newline, so that the first patch
   * matches the boundary too.
   */
  #carry: Buffer = Buffer.from('\n');
  #begun = false;

  /** @param longest maximum bytes of a kept patch. */
  constructor(longest: number) {
    this.#longest = longest;
  }

  /** Returns the patches that are completed by this chunk. */
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

  /** Returns the last patch, once the input has ended. */
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
