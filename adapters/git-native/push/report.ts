// What receive-pack answers: progress that passes at once, and the report of what happened to each ref, kept until it
// may be told.
import { Buffer } from 'node:buffer';
import type { RefUpdate } from '#core/repositories/git-backend';
import { flushPacket, lineOf, packet, PacketCutter } from '../transport/pkt-line.ts';

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
        for (const line of this.#inner.cut(packet.payload.subarray(1)))
          this.#line(line.kind === 'data' ? lineOf(line) : undefined);
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

/** Bytes of one packet's payload, after its band. */
const longestBand = 60_000;

/** What git says of a push whose pack it took and whose refs it refused, each for the same reason. */
export function refusedReport(updates: readonly RefUpdate[], reason: string, multiplexed: boolean): Buffer {
  const report = Buffer.concat([
    packet('unpack ok\n'),
    ...updates.map(({ ref }) => packet(`ng ${ref} ${reason}\n`)),
    flushPacket,
  ]);
  if (!multiplexed) return report;
  const pieces = Array.from({ length: Math.ceil(report.length / longestBand) }, (_, index) =>
    packet(Buffer.concat([Buffer.of(1), report.subarray(index * longestBand, (index + 1) * longestBand)])),
  );
  return Buffer.concat([...pieces, flushPacket]);
}
