// Parses large JSON texts without blocking the event loop: long strings are taken out, parsed in slices and put in
// afterwards.
import { randomUUID } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import { PayloadTooLarge } from '#core/kernel/errors';

const quote = 0x22;
const colon = 0x3a;
const backslash = 0x5c;
const smallU = 0x75;
/** Whitespace (RFC 8259, section 2). */
const blanks: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d]);
/** Longer strings, in bytes, are taken out. */
const long = 64 * 1024;
/** Bytes parsed in one event loop iteration. */
const slice = 1024 ** 2;
/** Quotes examined in one event loop iteration. */
const quotesAtOnce = 20_000;
const longestEscape = 6;
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export interface Skeleton {
  /** The text with a placeholder for each long string. */
  readonly bytes: Buffer;
  readonly strings: ReadonlyMap<string, string>;
}

/**
 * Takes the long strings out of a JSON text.
 * @param most largest size in bytes of the remaining text, which is parsed at once.
 * @throws {PayloadTooLarge | SyntaxError | TypeError} if the remaining text is larger, or a long string is not valid
 * JSON.
 */
export async function skeletonOf(bytes: Buffer, most: number): Promise<Skeleton> {
  const parts: Buffer[] = [];
  const strings = new Map<string, string>();
  const run = randomUUID();
  let length = 0;
  const keep = (part: Buffer): void => {
    length += part.length;
    if (length > most)
      throw new PayloadTooLarge('The body is too large', {
        detail: `Long texts aside, it may have ${most} bytes`,
      });
    parts.push(part);
  };
  let kept = 0;
  /** Position of the opening quote of the current string; -1 outside of strings. */
  let open = -1;
  for (let at = bytes.indexOf(quote), seen = 1; at !== -1; at = bytes.indexOf(quote, at + 1), seen += 1) {
    if (seen % quotesAtOnce === 0) await turn();
    if (open === -1) {
      open = at;
      continue;
    }
    if (backslashesBefore(bytes, at, open + 1) % 2 === 1) continue;
    // A long key stays in the text, so that an error message can name it.
    if (at - open > long && !isKey(bytes, at + 1)) {
      const mark = `${run}-${strings.size}`;
      keep(bytes.subarray(kept, open + 1));
      keep(Buffer.from(mark));
      strings.set(mark, await inside(bytes.subarray(open + 1, at)));
      kept = at;
    }
    open = -1;
    if (at - kept > most) break;
  }
  if (open !== -1) throw new SyntaxError('a string has no end');
  keep(bytes.subarray(kept));
  return { bytes: Buffer.concat(parts), strings };
}

/** The value with its placeholders replaced by the strings. */
export function restored(value: unknown, strings: ReadonlyMap<string, string>): unknown {
  if (typeof value === 'string') return strings.get(value) ?? value;
  if (typeof value !== 'object' || value === null) return value;
  const members = value as Record<string, unknown>;
  for (const key of Object.keys(members)) members[key] = restored(members[key], strings);
  return value;
}

/** Whether a colon follows. */
function isKey(bytes: Buffer, from: number): boolean {
  let at = from;
  while (blanks.has(bytes[at] ?? 0)) at += 1;
  return bytes[at] === colon;
}

/** The number of backslashes before `at`. The byte at `at` is escaped if the number is odd. */
export function backslashesBefore(bytes: Uint8Array, at: number, from: number): number {
  let count = 0;
  while (at - 1 - count >= from && bytes[at - 1 - count] === backslash) count += 1;
  return count;
}

/** Decodes the text between two quotes. */
async function inside(bytes: Buffer): Promise<string> {
  const texts: string[] = [];
  for (let from = 0; from < bytes.length;) {
    const to = cut(bytes, from);
    texts.push(JSON.parse(`"${utf8.decode(bytes.subarray(from, to))}"`) as string);
    from = to;
    await turn();
  }
  return texts.join('');
}

/** The end of the slice that begins at `from`: never inside a character or an escape sequence. */
function cut(bytes: Buffer, from: number): number {
  let to = from + slice;
  if (to >= bytes.length) return bytes.length;
  for (let back = 0; back < 3 && ((bytes[to] ?? 0) & 0xc0) === 0x80; back += 1) to -= 1;
  for (let at = to - 1; at > to - longestEscape; at -= 1) {
    if (bytes[at] !== backslash) continue;
    const opens = backslashesBefore(bytes, at + 1, from) % 2 === 1;
    const end = at + (bytes[at + 1] === smallU ? longestEscape : 2);
    return opens && to < end ? at : to;
  }
  return to;
}
