// Follows the answer of git to a fetch while it is sent (gitprotocol-pack(5), "Packfile Data"): whether it makes
// progress, and whether an error message can still be sent to the client where it breaks off.
import { pktLine } from '#adapters/git-common/transport/pkt-line';

const [pack, progress, failure] = [1, 2, 3] as const;
/**
 * `packfile`, with a newline: the only line of version 2 with this first letter and length. Packets of the pack follow
 * it.
 */
const announcement = { length: 'packfile\n'.length, letter: 'p'.charCodeAt(0) } as const;
const longest = 1000;

export class FetchAnswer {
  #digits = '';
  /** Bytes left of the current packet; 0 between packets. */
  #left = 0;
  #length = 0;
  /** The first byte of the current packet's content. */
  #first: number | undefined;
  #inBands = false;
  /** Whether the pack is sent without packets, to a client without side band. */
  #bare = false;

  /**
   * Follows the next bytes. Returns false if they are only progress messages or keepalives, which git may send for the
   * whole time that it computes.
   */
  follow(bytes: Uint8Array): boolean {
    let moved = false;
    for (let at = 0; at < bytes.length && !this.#bare;) {
      if (this.#left > 0) {
        const within = Math.min(this.#left, bytes.length - at);
        this.#first ??= this.#begin(bytes[at] ?? 0);
        moved ||= this.#first !== progress && (this.#first !== pack || this.#length > 1);
        at += within;
        this.#left -= within;
        continue;
      }
      this.#digits += String.fromCharCode(bytes[at] ?? 0);
      at += 1;
      if (this.#digits.length === 4) this.#measure();
    }
    return moved || this.#bare;
  }

  /** The bytes that end the answer with a reason, which the client shows; undefined within a packet or a bare pack. */
  ending(reason: string): Buffer | undefined {
    if (this.#bare || this.#left > 0 || this.#digits !== '') return undefined;
    const text = Buffer.from(`${reason}\n`).subarray(0, longest - 5);
    return pktLine(Buffer.concat([this.#inBands ? Buffer.from([failure]) : Buffer.from('ERR '), text]));
  }

  #measure(): void {
    this.#bare = !/^[0-9a-f]{4}$/.test(this.#digits);
    this.#length = Math.max(0, Number.parseInt(this.#digits, 16) - this.#digits.length);
    this.#left = this.#length;
    this.#digits = '';
    this.#first = undefined;
  }

  #begin(first: number): number {
    this.#inBands ||= first <= failure || (first === announcement.letter && this.#length === announcement.length);
    return first;
  }
}
