// Bounds on texts whose length others chose: one is clipped, with an ellipsis for what is left out, and those of one
// answer are clipped together.

const ellipsis = '…';
const ellipsisBytes = 3;
const encoder = new TextEncoder();

/** At most `most` characters; one that is cut ends in an ellipsis, and never in half of a surrogate pair. */
export function clip(text: string, most: number): string {
  return text.length <= most ? text : cutAt(text, most - ellipsis.length);
}

/** Bytes of a text in a JSON document: UTF-8, with quotes, backslashes and control characters escaped (RFC 8259). */
export const jsonBytes = (text: string): number => encoder.encode(JSON.stringify(text)).length - 2;

/**
 * The texts of one answer, in their order, which together take at most `most` bytes of JSON: where they take more, the
 * longest are clipped, all to the same size.
 */
export function fit(texts: readonly string[], most: number): readonly string[] {
  if (surelyFit(texts, most)) return texts;
  const level = levelOf(texts.map(jsonBytes), most);
  return level === undefined ? texts : texts.map((text) => clipToBytes(text, level));
}

const surelyFit = (texts: readonly string[], most: number): boolean =>
  texts.reduce((length, text) => length + text.length, 0) * longestEscape <= most;

/** Of one character. */
const longestEscape = 6;

/**
 * Bytes of JSON that the texts of a list take together, each of which may be as long as one may be: the list is an
 * answer all the same, and a fetch or a smaller page has them whole.
 */
export const mostOfList = 8 * 1024 ** 2;

/** Rows of one answer, the texts in whose members together take at most `most` bytes of JSON, as `fit` says. */
export function fitMembers<M extends string, R extends Readonly<Record<M, string | null>>>(
  rows: readonly R[],
  members: readonly M[],
  most = mostOfList,
): readonly R[] {
  const whole = rows.flatMap((row) => members.map((member) => row[member] ?? ''));
  const texts = fit(whole, most);
  if (texts === whole) return rows;
  return rows.map((row, at) => ({
    ...row,
    ...Object.fromEntries(members.map((member, index) => [member, row[member] && texts[at * members.length + index]])),
  }));
}

/** The size to which the largest come down so that the sum is at most `most`; undefined where it is already. */
function levelOf(sizes: readonly number[], most: number): number | undefined {
  let left = most;
  for (const [index, size] of Float64Array.from(sizes).sort().entries()) {
    const share = Math.floor(left / (sizes.length - index));
    if (size > share) return share;
    left -= size;
  }
  return undefined;
}

/** Characters whose size is told at once. */
const block = 1024;

function clipToBytes(text: string, most: number): string {
  if (text.length * longestEscape <= most || jsonBytes(text) <= most) return text;
  let bytes = ellipsisBytes;
  let end = 0;
  for (let size = block; size >= 1;) {
    // A block has whole pairs of surrogates; the last ones are told apart one by one.
    const next = end + size + (size > 1 && isFirstOfPair(text.charCodeAt(end + size - 1)) ? 1 : 0);
    const own = size > 1 ? jsonBytes(text.slice(end, next)) : bytesOf(text.charCodeAt(end));
    if (bytes + own > most) {
      if (size === 1) break;
      size = 1;
    } else {
      bytes += own;
      end = next;
    }
  }
  return most < ellipsisBytes ? '' : cutAt(text, end);
}

const isFirstOfPair = (unit: number): boolean => unit >= 0xd800 && unit < 0xdc00;

function cutAt(text: string, end: number): string {
  const kept = text.slice(0, isFirstOfPair(text.charCodeAt(end - 1)) ? end - 1 : end);
  // A copy: the engine would keep the whole text alive for its beginning.
  return new TextDecoder().decode(new TextEncoder().encode(kept)) + ellipsis;
}

/** Of one UTF-16 code unit; half a surrogate pair counts as half of its four bytes. */
function bytesOf(unit: number): number {
  if (unit >= 0x20 && unit < 0x80) return unit === 0x22 || unit === 0x5c ? 2 : 1;
  if (unit < 0x20) return unit === 0x0a || unit === 0x09 || unit === 0x0d || unit === 0x08 || unit === 0x0c ? 2 : 6;
  if (unit < 0x800) return 2;
  return unit >= 0xd800 && unit < 0xe000 ? 2 : 3;
}

/** The beginning of a text on one line, at most `most` characters and no half of one. */
export const beginning = (text: string, most: number): string =>
  [
    ...text
      .slice(0, 2 * most)
      .replace(/\s+/g, ' ')
      .trim(),
  ]
    .slice(0, most)
    .join('');
