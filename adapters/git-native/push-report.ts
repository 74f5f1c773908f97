// What receive-pack answers: progress that passes at once, and the report of what happened to each ref, kept until it may be told.
import { Buffer } from 'node:buffer';
import { lineOf, PacketCutter } from './pkt-line.ts';

/** gitprotocol-pack(5), "Report Status". */
export class PushReport {
  readonly #outer = new PacketCutter();
  readonly #inner = new PacketCutter();
  readonly #multiplexed: boolean;
  readonly #held: Buffer[] = [];
  readonly #accepted = new Set<string>();
  #complete = false;

  /** @param multiplexed whether the client chose `side-band-64k`. */
  constructor(multiplexed: boolean) {
    this.#multiplexed = multiplexed;
  }

  /** Takes output in. @returns what may go to the client now. */
  take(chunk: Uint8Array): readonly Buffer[] {
    const passing: Buffer[] = [];
    for (const packet of this.#outer.cut(chunk)) {
      if (!this.#multiplexed) {
        this.#held.push(packet.raw);
        this.#line(packet.kind === 'data' ? lineOf(packet) : undefined);
      } else if (packet.kind === 'data' && packet.payload[0] !== 1) {
        passing.push(packet.raw);
      } else {
        this.#held.push(packet.raw);
        if (packet.kind !== 'data') continue;
        for (const line of this.#inner.cut(packet.payload.subarray(1))) this.#line(line.kind === 'data' ? lineOf(line) : undefined);
      }
    }
    return passing;
  }

  /** The report itself and what came after it. */
  get held(): Buffer {
    return Buffer.concat([...this.#held, this.#outer.rest]);
  }

  /** Whether the report came to its end. */
  get complete(): boolean {
    return this.#complete;
  }

  /** Full names of the refs reported as updated. */
  get accepted(): ReadonlySet<string> {
    return this.#accepted;
  }

  #line(line: string | undefined): void {
    if (line === undefined) this.#complete = true;
    else if (line.startsWith('ok ')) this.#accepted.add(line.slice(3));
  }
}
