// Parses the ref update commands and capabilities at the beginning of a push.
import { isUtf8 } from 'node:buffer';
import { PayloadTooLarge, ValidationFailed } from '#core/kernel/errors';
import type { MemoryReservation } from '#core/kernel/limits/memory-budget';
import type { RefUpdate } from '#core/repositories/git/git-backend';
import { TimeSlice } from '../waiting/time-slice.ts';
import { isLegalRef, isOid } from '../names.ts';
import { lineOf, PktLineParser } from '../transport/pkt-line.ts';

export interface PushCommands {
  readonly updates: readonly RefUpdate[];
  readonly capabilities: ReadonlySet<string>;
  /** Every byte read so far, of the commands and of the beginning of the pack. receive-pack must receive them too. */
  readonly raw: readonly Uint8Array[];
  /** Those of them that follow the commands: the beginning of the pack. */
  readonly rest: Uint8Array;
}

/** Approximate bytes of memory of a parsed command, beside its own bytes. */
const commandBytes = 300;

/**
 * Parses gitprotocol-pack(5), "Reference Update Request".
 * @param hold the memory budget that the commands count towards, until it is released. Default: none.
 * @throws {ValidationFailed} for a body that ends early or is malformed; {PayloadTooLarge} past `limit` bytes of
 * commands; what `hold` throws.
 */
export async function readPushCommands(
  body: AsyncIterator<Uint8Array>,
  limit: number,
  hold?: Pick<MemoryReservation, 'take'>,
): Promise<PushCommands> {
  const parser = new PktLineParser();
  const slice = new TimeSlice();
  const raw: Uint8Array[] = [];
  const updates: RefUpdate[] = [];
  const capabilities = new Set<string>();
  let bytes = 0;
  for (;;) {
    const chunk = await body.next();
    if (chunk.done === true)
      throw new ValidationFailed('The push ends before its ref updates do', {
        detail: 'body: a flush packet must follow the ref updates',
      });
    // A copy, because pkt-lines are kept while the sender may reuse its buffer.
    const value = Buffer.from(chunk.value);
    hold?.take(value.length);
    raw.push(value);
    for (const pktLine of parser.parse(value)) {
      if (pktLine.kind === 'flush') return { updates: eachOnce(updates), capabilities, raw, rest: parser.rest };
      if (pktLine.kind !== 'data') throw malformed('a packet of that kind');
      bytes += pktLine.raw.length;
      if (bytes > limit) throw tooMany(limit);
      const [line = '', chosen] = lineOf(pktLine).split('\0', 2);
      if (/^shallow [0-9a-f]{40}$/.test(line)) continue;
      for (const [name = '', value] of chosenIn(chosen)) {
        // Checked before the command: its oids are longer, and would be reported as malformed.
        if (name === 'object-format' && value !== 'sha1') throw otherFormat(value);
        capabilities.add(name);
      }
      hold?.take(commandBytes);
      updates.push(parsed(line, pktLine.payload));
      if (slice.over) await slice.rest();
    }
  }
}

/** Capabilities as git reads them: after any command, separated by whitespace of any kind, with or without a value. */
const chosenIn = (text = ''): readonly (readonly string[])[] =>
  text.split(/[ \t\r\n]/).map((each) => each.split('=', 2));

function parsed(line: string, bytes: Uint8Array): RefUpdate {
  if (line.startsWith('push-cert')) throw malformed('a signed push, which this server does not offer');
  const update = refUpdateIn(line);
  if (update === undefined) throw malformed(`"${line.slice(0, 100)}"`);
  const { ref } = update;
  if (!ref.startsWith('refs/') || !isLegalRef(ref)) throw refused('The push names a ref that git does not allow', ref);
  // Decoded as text, it would be another name than the one that git would write.
  if (!isUtf8(bytes)) throw refused('The push names a ref that is no UTF-8', ref);
  return update;
}

/** Verdicts are stored by ref: of two commands for the same ref, the rejection of the first would be lost. */
function eachOnce(updates: readonly RefUpdate[]): readonly RefUpdate[] {
  const seen = new Set<string>();
  for (const { ref } of updates) {
    if (seen.has(ref)) throw refused('The push names a ref twice', ref);
    seen.add(ref);
  }
  return updates;
}

const refused = (sentence: string, ref: string): ValidationFailed =>
  new ValidationFailed(sentence, { detail: `ref: ${JSON.stringify(ref.slice(0, 200))}` });
const otherFormat = (format = ''): ValidationFailed =>
  new ValidationFailed(`The push is of a repository in the object format ${JSON.stringify(format.slice(0, 40))}`, {
    detail: 'object-format: repositories here are in "sha1"; convert yours before you push it',
  });
const malformed = (what: string): ValidationFailed =>
  new ValidationFailed('The push does not begin with ref updates', { detail: `body: it holds ${what}` });
const tooMany = (limit: number): PayloadTooLarge =>
  new PayloadTooLarge('The push names too many refs', {
    detail: `The ref updates of one push may take ${limit} bytes; push in several parts`,
  });

const oidLength = 40;

/**
 * A ref update in one line as git writes it, `OLD NEW REF`; undefined for a malformed line. Splits at fixed offsets,
 * because a name may contain nearly every character.
 */
export function refUpdateIn(line: string): RefUpdate | undefined {
  const [afterOld, afterNew] = [oidLength, 2 * oidLength + 1];
  const [old, next, ref] = [line.slice(0, afterOld), line.slice(afterOld + 1, afterNew), line.slice(afterNew + 1)];
  const apart = line[afterOld] === ' ' && line[afterNew] === ' ';
  return apart && isOid(old) && isOid(next) && ref !== '' ? { ref, old, new: next } : undefined;
}
