// Estimates how much of a file is in another one, as git does to find renames (a port of diffcore-delta).

/** The score of equal files. */
export const wholeScore = 60_000;
const hashBase = 107_927;
const longestSpan = 64;

/** Bytes by the hash of the line, or piece of a line, that they are in. */
export type Spans = ReadonlyMap<number, number>;

export function spansOf(bytes: Buffer): Spans {
  const isText = !bytes.subarray(0, 8000).includes(0);
  const spans = new Map<number, number>();
  let [one, two, length] = [0, 0, 0];
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    if (isText && byte === 0x0d && bytes[at + 1] === 0x0a) continue;
    const old = one;
    one = ((one << 7) ^ (two >>> 25)) >>> 0;
    two = ((two << 7) ^ (old >>> 25)) >>> 0;
    one = (one + byte) >>> 0;
    length += 1;
    if (length < longestSpan && byte !== 0x0a) continue;
    const hash = ((one + Math.imul(two, 0x61)) >>> 0) % hashBase;
    spans.set(hash, (spans.get(hash) ?? 0) + length);
    [one, two, length] = [0, 0, 0];
  }
  return spans;
}

/** Bytes of the old file that the new one has too. */
export function copiedBytes(old: Spans, now: Spans): number {
  let bytes = 0;
  for (const [hash, count] of old) bytes += Math.min(count, now.get(hash) ?? 0);
  return bytes;
}
