// The answer to a push: gitprotocol-pack(5), "Report Status", with messages to the user in the side band.
import type { RefUpdate } from '#core/repositories/git/git-backend';
import { flushPkt, pktLine } from '#adapters/git-common/transport/pkt-line';

/** Bytes of the payload of one pkt-line, after its band. */
const longestBand = 65_515;

/** Whether the client reads messages and the report from bands. */
export const isMultiplexed = (capabilities: ReadonlySet<string>): boolean => capabilities.has('side-band-64k');

/** Refs without a reason have moved, or need not. @param unpacked why the pack was refused; `ok` if it was not. */
export function reportOf(
  updates: readonly RefUpdate[],
  reasonOf: (ref: string) => string | undefined,
  multiplexed: boolean,
  unpacked = 'ok',
): Buffer {
  const report = Buffer.concat([
    pktLine(`unpack ${unpacked}\n`),
    ...updates.map(({ ref }) => {
      const reason = reasonOf(ref);
      return pktLine(reason === undefined ? `ok ${ref}\n` : `ng ${ref} ${reason}\n`);
    }),
    flushPkt,
  ]);
  return multiplexed ? Buffer.concat([...banded(1, report), flushPkt]) : report;
}

/** Lines that git shows after `remote:`. */
export const messagesOf = (lines: readonly string[]): Buffer =>
  lines.length === 0
    ? Buffer.alloc(0)
    : Buffer.concat(banded(2, Buffer.from(lines.map((line) => `${line}\n`).join(''))));

function banded(band: number, bytes: Buffer): readonly Buffer[] {
  return Array.from({ length: Math.ceil(bytes.length / longestBand) }, (_, index) =>
    pktLine(Buffer.concat([Buffer.of(band), bytes.subarray(index * longestBand, (index + 1) * longestBand)])),
  );
}

/** Replaces characters of a sentence that a terminal would interpret. */
export function oneLine(sentence: string): string {
  return sentence.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ').trim() || 'refused';
}
