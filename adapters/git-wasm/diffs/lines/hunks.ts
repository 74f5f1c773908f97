// Prints the changes between two files as hunks with three lines of context: git-diff-format, "Generating patch text".
import { lineAt, lineCount, type LineChange, type LineFile } from './line-files.ts';
import type { LineDiff } from './line-diff.ts';

const context = 3;
/** Bytes of the text after the second `@@`. */
const longestHeading = 80;
const noNewline = Buffer.from('\n\\ No newline at end of file\n');
const [space, plus, minus] = [Buffer.from(' '), Buffer.from('+'), Buffer.from('-')];

export function hunksOf({ before, after, changes }: LineDiff): Buffer {
  const parts: Buffer[] = [];
  let [heading, searched]: [Buffer, number] = [Buffer.alloc(0), -1];
  for (let at = 0; at < changes.length;) {
    const first = at;
    at += 1;
    while (at < changes.length && distance(changes[at - 1], changes[at]) <= 2 * context) at += 1;
    const group = changes.slice(first, at);
    const [begin, last] = [group[0], group.at(-1)];
    if (begin === undefined || last === undefined) break;
    const [start1, start2] = [Math.max(0, begin.oldStart - context), Math.max(0, begin.newStart - context)];
    const [lastOld, lastNew] = [last.oldStart + last.removed, last.newStart + last.added];
    const tail = Math.min(context, lineCount(before) - lastOld, lineCount(after) - lastNew);
    heading = headingAbove(before, start1 - 1, searched) ?? heading;
    searched = start1 - 1;
    parts.push(header(start1, lastOld + tail - start1, start2, lastNew + tail - start2, heading));
    let now = start2;
    for (const { oldStart, newStart, removed, added } of group) {
      for (; now < newStart; now += 1) push(parts, space, after, now);
      for (let line = oldStart; line < oldStart + removed; line += 1) push(parts, minus, before, line);
      for (; now < newStart + added; now += 1) push(parts, plus, after, now);
    }
    for (; now < lastNew + tail; now += 1) push(parts, space, after, now);
  }
  return Buffer.concat(parts);
}

const distance = (one: LineChange | undefined, other: LineChange | undefined): number =>
  (other?.oldStart ?? 0) - (one === undefined ? 0 : one.oldStart + one.removed);

function push(parts: Buffer[], prefix: Buffer, file: LineFile, index: number): void {
  const line = lineAt(file, index);
  parts.push(prefix, line);
  if (line.at(-1) !== 0x0a) parts.push(noNewline);
}

function header(start1: number, count1: number, start2: number, count2: number, heading: Buffer): Buffer {
  const range = (start: number, count: number): string =>
    `${count === 0 ? start : start + 1}${count === 1 ? '' : `,${count}`}`;
  const text = Buffer.from(`@@ -${range(start1, count1)} +${range(start2, count2)} @@`);
  return Buffer.concat(heading.length === 0 ? [text, Buffer.from('\n')] : [text, space, heading, Buffer.from('\n')]);
}

/** The nearest line above that begins with a letter, `_` or `$`. */
function headingAbove(file: LineFile, from: number, until: number): Buffer | undefined {
  for (let at = from; at > until && at >= 0; at -= 1) {
    const line = lineAt(file, at);
    const byte = line[0] ?? 0;
    const isLetter = (byte >= 0x41 && byte <= 0x5a) || (byte >= 0x61 && byte <= 0x7a);
    if (!isLetter && byte !== 0x5f && byte !== 0x24) continue;
    let end = Math.min(line.length, longestHeading);
    while (end > 0 && [0x20, 0x09, 0x0a, 0x0b, 0x0c, 0x0d].includes(line[end - 1] ?? 0)) end -= 1;
    return line.subarray(0, end);
  }
  return undefined;
}
