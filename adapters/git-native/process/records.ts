// Splits the output of a process into records, each of which ends in a given byte (a newline, a NUL). Pieces are joined
// once, and a record is cut at a maximum length.
import { Unprocessable } from '#core/kernel/errors';
import type { GitProcess } from './git-process.ts';

export class RecordReader {
  readonly #longest: number;
  #chunk: Buffer = Buffer.alloc(0);
  #at = 0;
  /** The pieces of an unfinished record from earlier chunks. */
  #parts: Buffer[] = [];
  #length = 0;
  /** Whether the last record was longer than the maximum, so that its end is missing. */
  cut = false;

  /** @param longest maximum bytes of a record. */
  constructor(longest: number) {
    this.#longest = longest;
  }

  /** Adds a chunk. `next` must have returned all records of the chunks before. */
  push(chunk: Buffer): void {
    this.#chunk = chunk;
    this.#at = 0;
  }

  /** The first byte of the next record. */
  get first(): number | undefined {
    return this.#parts[0]?.[0] ?? this.#chunk[this.#at];
  }

  /** The next record without the byte that ends it; undefined until that byte has arrived. */
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

  /** The bytes after the last record, up to the maximum length. */
  rest(): Buffer {
    return Buffer.concat([...this.#parts, this.#chunk.subarray(this.#at)]);
  }

  #keep(piece: Buffer): void {
    const room = Math.max(0, this.#longest - this.#length);
    // A copy: a slice would keep its whole chunk in memory.
    if (piece.length > 0 && room > 0) this.#parts.push(Buffer.from(piece.subarray(0, room)));
    this.#length += piece.length;
  }
}

/** Bytes: a commit with twenty thousand parents. */
const longestLine = 1024 ** 2;

/**
 * Lines with their bytes as latin1.
 * @throws {Unprocessable} for a line that is too long.
 */
export async function* linesOf(process: GitProcess): AsyncGenerator<readonly string[]> {
  const reader = new RecordReader(longestLine);
  for await (const chunk of process.output()) {
    const lines: string[] = [];
    reader.push(chunk);
    for (let line = reader.next(0x0a); line !== undefined; line = reader.next(0x0a)) {
      if (reader.cut)
        throw new Unprocessable('A commit is too large to be read', {
          detail: `git says over ${longestLine} bytes of it: it has too many parents`,
        });
      lines.push(line.toString('latin1'));
    }
    yield lines;
  }
}
