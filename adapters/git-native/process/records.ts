// The output of a process cut into records, each of which ends in a byte (a newline, a NUL): pieces are joined once,
// and a record is no longer than its reader wants to hold.
import { Buffer } from 'node:buffer';

export class RecordReader {
  readonly #longest: number;
  #chunk: Buffer = Buffer.alloc(0);
  #at = 0;
  /** What earlier chunks brought of a record that has not ended. */
  #parts: Buffer[] = [];
  #length = 0;
  /** Whether the last record was longer than is held: its end is missing. */
  cut = false;

  /** @param longest bytes of a record. */
  constructor(longest: number) {
    this.#longest = longest;
  }

  /** Takes what arrived, when `next` has given all of what came before. */
  push(chunk: Buffer): void {
    this.#chunk = chunk;
    this.#at = 0;
  }

  /** The first byte of the record that comes next. */
  get first(): number | undefined {
    return this.#parts[0]?.[0] ?? this.#chunk[this.#at];
  }

  /** The next record, without the byte that ends it; undefined until that has come. */
  next(end: number): Buffer | undefined {
    const found = this.#chunk.indexOf(end, this.#at);
    const piece = this.#chunk.subarray(this.#at, found < 0 ? this.#chunk.length : found);
    this.#at = found < 0 ? this.#chunk.length : found + 1;
    const whole = found >= 0 && this.#length === 0;
    if (!whole) this.#keep(piece);
    if (found < 0) return undefined;
    this.cut = (whole ? piece.length : this.#length) > this.#longest;
    if (whole) return piece.subarray(0, this.#longest);
    const record = Buffer.concat(this.#parts);
    this.#parts = [];
    this.#length = 0;
    return record;
  }

  /** What came after the last record, as far as it is held. */
  rest(): Buffer {
    return Buffer.concat([...this.#parts, this.#chunk.subarray(this.#at)]);
  }

  #keep(piece: Buffer): void {
    const room = Math.max(0, this.#longest - this.#length);
    // A copy: a piece would keep the chunk it is of.
    if (piece.length > 0 && room > 0) this.#parts.push(Buffer.from(piece.subarray(0, room)));
    this.#length += piece.length;
  }
}
