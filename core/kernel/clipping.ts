// Truncates texts of arbitrary length: a single text, or all texts of one response together.
import { isLonger, isPairAt } from './characters.ts';

const ellipsis = '…';
const ellipsisBytes = 3;

/** At most `most` characters (code points). A truncated text ends with an ellipsis. */
export function clip(text: string, most: number): string {
  if (!isLonger(text, most)) return text;
  let end = 0;
  for (let kept = 0; kept < most - ellipsis.length; kept += 1) end += isPairAt(text, end) ? 2 : 1;
  return cutAt(text, end);
}

/** Bytes of a text in a JSON document: UTF-8, with quotes, backslashes and control characters escaped (RFC 8259). */
export const jsonBytes = (text: string): number => walked({ text, end: 0, bytes: 0 }, Number.POSITIVE_INFINITY).bytes;

/**
 * Returns the texts of one response, in the same order, so that together they take at most `most` bytes of JSON. If
 * they take more, the longest are truncated to the same size. Reads only as much of each text as fits.
 */
export function fit(texts: readonly string[], most: number): readonly string[] {
  if (surelyFit(texts, most)) return texts;
  const looks: readonly Look[] = texts.map((text) => ({ text, end: 0, bytes: 0 }));
  let open = looks;
  let left = most;
  let level = 0;
  // Bytes that short texts leave over are divided equally among the longer ones, until none are left or all texts fit.
  for (let share = Math.floor(left / open.length); share > 0; share = Math.floor(left / open.length)) {
    level += share;
    left -= share * open.length;
    open = open.filter((look) => {
      if (walked(look, level).end < look.text.length) return true;
      left += level - look.bytes;
      return false;
    });
    if (open.length === 0) return texts;
  }
  return looks.map((look) => clippedTo(look, level));
}

/** A text, and how far it was scanned: characters, and their bytes in JSON. */
interface Look {
  readonly text: string;
  end: number;
  bytes: number;
}

/** Scans up to the last character that fits into `most` bytes. */
function walked(look: Look, most: number): Look {
  const { text } = look;
  let { end, bytes } = look;
  while (end < text.length) {
    const next = bytes + bytesOf(text.charCodeAt(end));
    if (next > most) break;
    bytes = next;
    end += 1;
  }
  return Object.assign(look, { end, bytes });
}

function clippedTo({ text, end, bytes }: Look, most: number): string {
  if (end === text.length) return text;
  if (most < ellipsisBytes) return '';
  let kept = bytes;
  let to = end;
  while (kept > most - ellipsisBytes) {
    to -= 1;
    kept -= bytesOf(text.charCodeAt(to));
  }
  return cutAt(text, to);
}

const surelyFit = (texts: readonly string[], most: number): boolean =>
  texts.reduce((length, text) => length + text.length, 0) * longestEscape <= most;

/** The longest JSON escape of one character, in bytes. */
const longestEscape = 6;

/**
 * Bytes of JSON that the texts of a list take together. Each text alone may be up to its own maximum. The full text is
 * returned by a fetch or by a smaller page.
 */
export const mostOfList = 8 * 1024 ** 2;

/** Truncates the texts in the given members of all rows to `most` bytes of JSON together, as `fit` does. */
export function fitMembers<M extends string, R extends Readonly<Record<M, string | null>>>(
  rows: readonly R[],
  members: readonly M[],
  most = mostOfList,
): readonly R[] {
  const whole = rows.flatMap((row) => members.map((member) => row[member] ?? ''));
  const texts = fit(whole, most);
  if (texts === whole) return rows;
  return rows.map((row, at) => {
    const own = texts.slice(at * members.length, (at + 1) * members.length);
    if (members.every((member, index) => (row[member] ?? '') === own[index])) return row;
    const cut: Record<string, unknown> = { ...row };
    for (const [index, member] of members.entries()) cut[member] = row[member] && own[index];
    return cut as R;
  });
}

const isFirstOfPair = (unit: number): boolean => unit >= 0xd800 && unit < 0xdc00;

function cutAt(text: string, end: number): string {
  const kept = text.slice(0, isFirstOfPair(text.charCodeAt(end - 1)) ? end - 1 : end);
  // `join` copies. A plain slice would keep the whole original text in memory.
  return [kept, ellipsis].join('');
}

/** UTF-8 bytes of one UTF-16 code unit. Half a surrogate pair counts as two of the pair's four bytes. */
function bytesOf(unit: number): number {
  if (unit < 0x80) return bytesOfAscii[unit] ?? 1;
  if (unit < 0x800) return 2;
  return unit >= 0xd800 && unit < 0xe000 ? 2 : 3;
}

/** A lookup table, because this is computed for each character of a long list. */
const bytesOfAscii = Uint8Array.from(
  { length: 0x80 },
  (_, unit) => JSON.stringify(String.fromCharCode(unit)).length - 2,
);

/** The first `most` characters of a text, on one line, without splitting a character. */
export const beginning = (text: string, most: number): string =>
  [
    ...text
      .slice(0, 2 * most)
      .replace(/\s+/g, ' ')
      .trim(),
  ]
    .slice(0, most)
    .join('');
