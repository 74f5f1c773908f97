// Splits the output of receive-pack into progress (side band), which is passed on at once, and the status report of
// each ref, which is held back until the moved refs are recorded.
import type { RefUpdate } from '#core/repositories/git/git-backend';
import { flushPkt, lineOf, pktLine, PktLineParser } from '#adapters/git-common/transport/pkt-line';

/** gitprotocol-pack(5), "Report Status". */
export class PushReport {
  readonly #outer = new PktLineParser();
  readonly #inner = new PktLineParser();
  readonly #multiplexed: boolean;
  readonly #held: Buffer[] = [];
  #began = false;
  /** Whether the report is complete. */
  complete = false;
  /** Whether a ref was rejected because `pre-receive` declined it or failed. */
  declined = false;
  /** The beginning of git's messages to the client outside the report. */
  said = '';
  /** Full names of the refs reported as updated. */
  readonly accepted = new Set<string>();

  /** @param multiplexed whether the client chose `side-band-64k`. */
  constructor(multiplexed: boolean) {
    this.#multiplexed = multiplexed;
  }

  /**
   * Adds output.
   * @returns what may be sent to the client now.
   */
  take(chunk: Uint8Array): readonly Buffer[] {
    const passing: Buffer[] = [];
    for (const pktLine of this.#outer.parse(chunk)) {
      if (!this.#multiplexed) {
        this.#held.push(pktLine.raw);
        this.#line(pktLine.kind === 'data' ? lineOf(pktLine) : undefined);
      } else if (pktLine.kind === 'data' && pktLine.payload[0] !== 1) {
        passing.push(pktLine.raw);
        if (this.said.length < keptWords) this.said += Buffer.from(pktLine.payload.subarray(1)).toString('latin1');
      } else {
        this.#held.push(pktLine.raw);
        if (pktLine.kind !== 'data') continue;
        for (const line of this.#inner.parse(pktLine.payload.subarray(1)))
          this.#line(line.kind === 'data' ? lineOf(line) : undefined);
      }
    }
    return passing;
  }

  /** The report and the output after it. */
  get held(): Buffer {
    return Buffer.concat([...this.#held, this.#outer.rest]);
  }

  #line(line: string | undefined): void {
    // Only output that begins with an `unpack` line is a report: git may send something other than the client
    // requested.
    if (line === undefined) this.complete = this.#began;
    else if (line.startsWith('unpack ')) this.#began = true;
    else if (line.startsWith('ok ')) this.accepted.add(line.slice(3));
    else if (line.startsWith('ng ') && line.endsWith(' pre-receive hook declined')) this.declined = true;
  }
}

const keptWords = 16 * 1024;
/** Bytes of the payload of one pkt-line, after its band. */
const longestBand = 60_000;

export const isMultiplexed = ({ capabilities }: { readonly capabilities: ReadonlySet<string> }): boolean =>
  capabilities.has('side-band-64k');

/** gitprotocol-pack(5), band 3: a fatal error instead of a report. */
export const fatal = (message: string): Buffer => pktLine(Buffer.concat([Buffer.of(3), Buffer.from(`${message}\n`)]));

/**
 * A report as git writes it: refs without a reason have moved, the others were rejected.
 * @param unpacked why the pack was not accepted; `ok` if it was.
 */
export function reportOf(
  updates: readonly RefUpdate[],
  reasonOf: (update: RefUpdate) => string | undefined,
  multiplexed: boolean,
  unpacked = 'ok',
): Buffer {
  const report = Buffer.concat([
    pktLine(`unpack ${unpacked}\n`),
    ...updates.map((update) => {
      const reason = reasonOf(update);
      return pktLine(reason === undefined ? `ok ${update.ref}\n` : `ng ${update.ref} ${reason}\n`);
    }),
    flushPkt,
  ]);
  if (!multiplexed) return report;
  const pieces = Array.from({ length: Math.ceil(report.length / longestBand) }, (_, index) =>
    pktLine(Buffer.concat([Buffer.of(1), report.subarray(index * longestBand, (index + 1) * longestBand)])),
  );
  return Buffer.concat([...pieces, flushPkt]);
}
