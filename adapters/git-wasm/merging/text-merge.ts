// Merges the changes of two sides of a file line by line, as git-merge-file(1).
import { lineDiff, type LineDiff } from '../diffs/lines/line-diff.ts';
import { lineCount, type LineChange, type LineFile } from '../diffs/lines/line-files.ts';
import type { Check } from '../objects/object-store.ts';

/** Undefined if the sides have changed the same or adjacent lines in different ways. */
export function textMerge(base: Buffer, ours: Buffer, theirs: Buffer, check: Check): Buffer | undefined {
  const [left, right] = [lineDiff(base, ours, 'histogram', check), lineDiff(base, theirs, 'histogram', check)];
  const merge = new Merge(left, right);
  return merge.run();
}

const endOf = ({ oldStart, removed }: LineChange): number => oldStart + removed;

class Merge {
  readonly #left: LineDiff;
  readonly #right: LineDiff;
  readonly #parts: Buffer[] = [];
  /** The first line of the base that is not in the result yet. */
  #at = 0;

  constructor(left: LineDiff, right: LineDiff) {
    this.#left = left;
    this.#right = right;
  }

  run(): Buffer | undefined {
    const [ours, theirs] = [this.#left.changes, this.#right.changes];
    let [i, j] = [0, 0];
    while (i < ours.length || j < theirs.length) {
      const [one, other] = [ours[i], theirs[j]];
      if (one !== undefined && (other === undefined || endOf(one) < other.oldStart)) {
        this.#take(this.#left, one);
        i += 1;
      } else if (other !== undefined && (one === undefined || endOf(other) < one.oldStart)) {
        this.#take(this.#right, other);
        j += 1;
      } else if (one !== undefined && other !== undefined) {
        if (this.#isSame(one, other)) {
          this.#take(this.#left, one);
          [i, j] = [i + 1, j + 1];
          continue;
        }
        const [nextI, nextJ] = this.#overlap(i, j);
        const [first, last] = [ours.slice(i, nextI), theirs.slice(j, nextJ)];
        if (!this.#takeEqual(first, last)) return undefined;
        [i, j] = [nextI, nextJ];
      }
    }
    this.#copyTo(lineCount(this.#left.before));
    return Buffer.concat(this.#parts);
  }

  /** The ends of the changes of both sides that overlap or touch each other. */
  #overlap(i: number, j: number): readonly [number, number] {
    const [ours, theirs] = [this.#left.changes, this.#right.changes];
    let [nextI, nextJ] = [i + 1, j + 1];
    let end = Math.max(endOf(ours[i] ?? none), endOf(theirs[j] ?? none));
    for (;;) {
      const [one, other] = [ours[nextI], theirs[nextJ]];
      if (one !== undefined && one.oldStart <= end) {
        end = Math.max(end, endOf(one));
        nextI += 1;
      } else if (other !== undefined && other.oldStart <= end) {
        end = Math.max(end, endOf(other));
        nextJ += 1;
      } else return [nextI, nextJ];
    }
  }

  /** Takes the lines of a region that both sides have changed. False if they differ. */
  #takeEqual(ours: readonly LineChange[], theirs: readonly LineChange[]): boolean {
    const both = [...ours, ...theirs];
    const start = Math.min(...both.map(({ oldStart }) => oldStart));
    const end = Math.max(...both.map(endOf));
    const [one, other] = [region(this.#left, ours, start, end), region(this.#right, theirs, start, end)];
    if (!one.equals(other)) return false;
    this.#copyTo(start);
    this.#parts.push(one);
    this.#at = end;
    return true;
  }

  #isSame(one: LineChange, other: LineChange): boolean {
    return (
      one.oldStart === other.oldStart &&
      one.removed === other.removed &&
      one.added === other.added &&
      added(this.#left.after, one).equals(added(this.#right.after, other))
    );
  }

  #take({ after }: LineDiff, change: LineChange): void {
    this.#copyTo(change.oldStart);
    this.#parts.push(added(after, change));
    this.#at = endOf(change);
  }

  #copyTo(line: number): void {
    if (line > this.#at) this.#parts.push(lines(this.#left.before, this.#at, line));
    this.#at = Math.max(this.#at, line);
  }
}

const none: LineChange = { oldStart: 0, newStart: 0, removed: 0, added: 0 };

const lines = ({ bytes, starts }: LineFile, from: number, to: number): Buffer =>
  bytes.subarray(starts[from] ?? 0, starts[to] ?? bytes.length);
const added = (after: LineFile, { newStart, added: count }: LineChange): Buffer =>
  lines(after, newStart, newStart + count);

/** The lines of one side in place of a range of the base. */
function region({ after }: LineDiff, changes: readonly LineChange[], start: number, end: number): Buffer {
  const [first, last] = [changes[0] ?? none, changes.at(-1) ?? none];
  return lines(after, first.newStart - (first.oldStart - start), last.newStart + last.added + (end - endOf(last)));
}
