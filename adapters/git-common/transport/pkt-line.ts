// Parsing and encoding of pkt-lines: gitprotocol-common(5), "pkt-line Format".
import { ValidationFailed } from '#core/kernel/errors';

export interface PktLine {
  readonly kind: 'data' | 'flush' | 'delimiter' | 'end';
  /** Without the four digits of length. */
  readonly payload: Buffer;
  /** With them. */
  readonly raw: Buffer;
}

const special: Readonly<Record<number, PktLine['kind']>> = { 0: 'flush', 1: 'delimiter', 2: 'end' };
const longest = 65_520;

export class PktLineParser {
  #parts: Uint8Array[] = [];
  #length = 0;
  /** The number of bytes needed to complete the next pkt-line, or its length field. */
  #needed = 4;

  /** Bytes given that are not part of a complete pkt-line yet. */
  get rest(): Buffer {
    return Buffer.concat(this.#parts);
  }

  /**
   * Yields the pkt-lines that these bytes complete.
   * @throws {ValidationFailed} for a malformed length.
   */
  *parse(bytes: Uint8Array): Generator<PktLine> {
    this.#parts.push(bytes);
    this.#length += bytes.length;
    if (this.#length < this.#needed) return;
    let rest =
      this.#parts.length > 1
        ? Buffer.concat(this.#parts)
        : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#keep(rest);
    for (;;) {
      this.#needed = 4;
      if (rest.length < this.#needed) return;
      const digits = rest.toString('latin1', 0, 4);
      const length = /^[0-9a-fA-F]{4}$/.test(digits) ? Number.parseInt(digits, 16) : longest + 1;
      const kind = special[length];
      if (kind === undefined && (length < 4 || length > longest))
        throw new ValidationFailed('The body is not in the pkt-line format', {
          detail: 'body: a packet has no such length',
        });
      this.#needed = kind === undefined ? length : 4;
      if (rest.length < this.#needed) return;
      const raw = rest.subarray(0, this.#needed);
      rest = rest.subarray(this.#needed);
      // Before the yield, because the consumer of a pkt-line may read `rest`.
      this.#keep(rest);
      yield { kind: kind ?? 'data', payload: raw.subarray(4), raw };
    }
  }

  #keep(rest: Buffer): void {
    this.#parts = rest.length === 0 ? [] : [rest];
    this.#length = rest.length;
  }
}

export const flushPkt = Buffer.from('0000');

export function pktLine(content: string | Uint8Array): Buffer {
  const payload = typeof content === 'string' ? Buffer.from(content, 'utf8') : content;
  return Buffer.concat([Buffer.from((payload.length + 4).toString(16).padStart(4, '0')), payload]);
}

/** The text of a pkt-line, without its optional newline. */
export function lineOf({ payload }: PktLine): string {
  return payload.toString('utf8', 0, payload.at(-1) === 0x0a ? payload.length - 1 : payload.length);
}
