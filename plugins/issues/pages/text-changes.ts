// The changed lines between two versions of a text (Myers, "An O(ND) Difference Algorithm", 1986), within bounds.
import type { FileHunk, FileLine } from 'hexforge/ui';

/** Beyond either bound, all lines between the common beginning and end count as changed. */
const most = { lines: 5000, edits: 300 } as const;
/** Unchanged lines around a change. */
const context = 3;

/** The hunks, each with its context; none for equal texts. */
export function changedHunks(before: string, after: string): readonly FileHunk[] {
  const [old, fresh] = [linesOf(before), linesOf(after)];
  const shorter = Math.min(old.length, fresh.length);
  let start = 0;
  while (start < shorter && old[start] === fresh[start]) start += 1;
  let end = 0;
  while (end < shorter - start && old.at(-1 - end) === fresh.at(-1 - end)) end += 1;
  const [oldEnd, newEnd] = [old.length - end, fresh.length - end];
  const kept = commonLines(old.slice(start, oldEnd), fresh.slice(start, newEnd));
  const lines: FileLine[] = [];
  let [at, to] = [Math.max(0, start - context), Math.max(0, start - context)];
  const until = (oldStop: number, newStop: number): void => {
    for (; at < oldStop; at += 1) lines.push({ op: '-', content: old[at] ?? '', oldNo: at + 1, newNo: 0 });
    for (; to < newStop; to += 1) lines.push({ op: '+', content: fresh[to] ?? '', oldNo: 0, newNo: to + 1 });
  };
  const same = (): void => {
    lines.push({ op: ' ', content: old[at] ?? '', oldNo: at + 1, newNo: to + 1 });
    [at, to] = [at + 1, to + 1];
  };
  while (at < start) same();
  for (const [one, other] of kept) {
    until(start + one, start + other);
    same();
  }
  until(oldEnd, newEnd);
  for (let left = Math.min(end, context); left > 0; left -= 1) same();
  return inHunks(lines);
}

const linesOf = (text: string): readonly string[] => (text === '' ? [] : text.split('\n'));

/** The positions of lines that both have, in order: a longest such list, or none beyond the bounds. */
function commonLines(old: readonly string[], fresh: readonly string[]): readonly (readonly [number, number])[] {
  if (old.length + fresh.length > most.lines) return [];
  const furthest = new Map<number, number>([[1, 0]]);
  const trace: ReadonlyMap<number, number>[] = [];
  for (let edits = 0; edits <= most.edits; edits += 1) {
    trace.push(new Map(furthest));
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      let at = cameDown(furthest, diagonal, edits)
        ? (furthest.get(diagonal + 1) ?? 0)
        : (furthest.get(diagonal - 1) ?? 0) + 1;
      while (at < old.length && at - diagonal < fresh.length && old[at] === fresh[at - diagonal]) at += 1;
      furthest.set(diagonal, at);
      if (at >= old.length && at - diagonal >= fresh.length) return pathOf(trace, old.length, fresh.length);
    }
  }
  return [];
}

/** Whether the furthest path with so many edits reaches a diagonal by an added line. */
const cameDown = (furthest: ReadonlyMap<number, number>, diagonal: number, edits: number): boolean =>
  diagonal === -edits ||
  (diagonal !== edits && (furthest.get(diagonal - 1) ?? -1) < (furthest.get(diagonal + 1) ?? -1));

/** Follows the trace from the ends of both texts to their beginnings. */
function pathOf(
  trace: readonly ReadonlyMap<number, number>[],
  oldLength: number,
  newLength: number,
): readonly (readonly [number, number])[] {
  const kept: (readonly [number, number])[] = [];
  let [at, to] = [oldLength, newLength];
  for (const [edits, furthest] of [...trace.entries()].reverse()) {
    const diagonal = at - to;
    const before = diagonal + (cameDown(furthest, diagonal, edits) ? 1 : -1);
    const from = edits === 0 ? 0 : (furthest.get(before) ?? 0);
    const start = edits === 0 ? 0 : before < diagonal ? from + 1 : from;
    for (; at > start; [at, to] = [at - 1, to - 1]) kept.push([at - 1, to - 1]);
    [at, to] = [from, from - before];
  }
  return kept.reverse();
}

/** Leaves out the lines that are far from all changes. */
function inHunks(lines: readonly FileLine[]): readonly FileHunk[] {
  const near = new Set(
    lines.flatMap(({ op }, index) =>
      op === ' ' ? [] : Array.from({ length: 2 * context + 1 }, (_, offset) => index - context + offset),
    ),
  );
  const hunks: FileLine[][] = [];
  for (const [index, line] of lines.entries()) {
    if (!near.has(index)) continue;
    if (!near.has(index - 1) || index === 0) hunks.push([]);
    hunks.at(-1)?.push(line);
  }
  return hunks.map((own) => ({
    oldStart: own.find(({ oldNo }) => oldNo > 0)?.oldNo ?? 0,
    oldLines: own.filter(({ op }) => op !== '+').length,
    newStart: own.find(({ newNo }) => newNo > 0)?.newNo ?? 0,
    newLines: own.filter(({ op }) => op !== '-').length,
    lines: own,
  }));
}
