// The lines of a file that a change removes, as ranges: a change of many adjacent lines takes little memory, and a line
// is found in logarithmic time.
import type { FileChange } from '#core/repositories/index';

/** Pairs of the first and the last line of a range, both inclusive and 1-based, in ascending order. */
export type LineRanges = readonly number[];

const heading = /^@@ -(\d+)/;
/** The first line of a hunk has at most this many characters before its old line number ends. */
const longestHeading = 32;

/** Reads hunks of a unified diff, without creating an object per line. */
export function removedRanges(hunks: readonly string[]): LineRanges {
  const ranges: number[] = [];
  for (const text of hunks) {
    let line = 0;
    for (let at = 0; at < text.length;) {
      const end = text.indexOf('\n', at);
      const next = end < 0 ? text.length : end + 1;
      const op = text[at];
      if (op === '@') line = Number(heading.exec(text.slice(at, at + longestHeading))?.[1] ?? line);
      else if (op === '-') {
        if (ranges.at(-1) === line - 1) ranges[ranges.length - 1] = line;
        else ranges.push(line, line);
        line += 1;
      } else if (op === ' ') line += 1;
      at = next;
    }
  }
  return ranges;
}

/** Undefined if the change has no patch that lists its lines. */
export function removedBy({ patch, deletions, isBinary }: FileChange): LineRanges | undefined {
  if (patch === undefined) return deletions === 0 && !isBinary ? [] : undefined;
  return removedRanges([patch]);
}

export function hasLine(ranges: LineRanges, line: number): boolean {
  let [low, high] = [0, ranges.length / 2];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ranges[2 * middle + 1] ?? 0) < line) low = middle + 1;
    else high = middle;
  }
  return low < ranges.length / 2 && (ranges[2 * low] ?? 0) <= line;
}
