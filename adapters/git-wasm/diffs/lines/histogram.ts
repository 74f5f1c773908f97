// The diff algorithm that git calls `histogram` (a port of xdiff's): splits the files at the longest run of equal lines
// that contains the rarest line, and compares what is before and after it.
import type { Check } from '../../objects/object-store.ts';
import type { LineFile } from './line-files.ts';
import { myers } from './myers.ts';

/** Lines that occur more often do not split files. */
const mostOccurrences = 64;

interface Range {
  readonly start1: number;
  readonly count1: number;
  readonly start2: number;
  readonly count2: number;
}

/** A run of equal lines; both ends are included. */
interface Run {
  begin1: number;
  end1: number;
  begin2: number;
  end2: number;
}

/** The first line of a kind, and how many there are. */
interface Kind {
  first: number;
  count: number;
}

export function histogram(one: LineFile, other: LineFile, check: Check): void {
  const open: Range[] = [{ start1: 0, count1: one.ids.length, start2: 0, count2: other.ids.length }];
  for (let range = open.pop(); range !== undefined; range = open.pop()) {
    check();
    const { start1, count1, start2, count2 } = range;
    if (count1 === 0 || count2 === 0) markAll(one, other, range);
    else {
      const found = new Search(one.ids, other.ids, range).run();
      if (found === 'frequent') {
        const part = (file: LineFile, start: number, count: number) => ({
          ids: file.ids.subarray(start, start + count),
          changed: file.changed,
          base: start,
        });
        myers(part(one, start1, count1), part(other, start2, count2), check);
      } else if (found === undefined) markAll(one, other, range);
      else {
        const after1 = found.end1 + 1;
        const after2 = found.end2 + 1;
        open.push({ start1, count1: found.begin1 - start1, start2, count2: found.begin2 - start2 });
        open.push({
          start1: after1,
          count1: start1 + count1 - after1,
          start2: after2,
          count2: start2 + count2 - after2,
        });
      }
    }
  }
}

function markAll(one: LineFile, other: LineFile, { start1, count1, start2, count2 }: Range): void {
  one.changed.fill(1, start1, start1 + count1);
  other.changed.fill(1, start2, start2 + count2);
}

class Search {
  readonly #a: Int32Array;
  readonly #b: Int32Array;
  readonly #range: Range;
  readonly #kinds = new Map<number, Kind>();
  /** The next line of the same kind, by line; 0 for none. */
  readonly #next: Int32Array;
  #rarest = mostOccurrences + 1;
  #hasCommon = false;
  #run: Run | undefined;

  constructor(a: Int32Array, b: Int32Array, range: Range) {
    this.#a = a;
    this.#b = b;
    this.#range = range;
    this.#next = new Int32Array(range.count1);
    for (let at = range.start1 + range.count1 - 1; at >= range.start1; at -= 1) {
      const kind = this.#kinds.get(a[at] ?? -1);
      if (kind === undefined) this.#kinds.set(a[at] ?? -1, { first: at, count: 1 });
      else {
        this.#next[at - range.start1] = kind.first + 1;
        kind.first = at;
        kind.count += 1;
      }
    }
  }

  /** Undefined if nothing is equal; `frequent` if only lines that occur too often are. */
  run(): Run | 'frequent' | undefined {
    const { start2, count2 } = this.#range;
    for (let at = start2; at < start2 + count2;) at = this.#at(at);
    return this.#hasCommon && mostOccurrences < this.#rarest ? 'frequent' : this.#run;
  }

  #countAt(line: number): number {
    return this.#kinds.get(this.#a[line] ?? -1)?.count ?? 0;
  }

  /** @returns the line of the second file to continue with. */
  #at(line: number): number {
    const [a, b] = [this.#a, this.#b];
    const { start1, count1, start2, count2 } = this.#range;
    let next = line + 1;
    const kind = this.#kinds.get(b[line] ?? -1);
    if (kind === undefined) return next;
    this.#hasCommon = true;
    if (kind.count > this.#rarest) return next;
    for (let from = kind.first; ;) {
      let [begin1, end1, begin2, end2, count] = [from, from, line, line, kind.count];
      while (start1 < begin1 && start2 < begin2 && a[begin1 - 1] === b[begin2 - 1]) {
        begin1 -= 1;
        begin2 -= 1;
        if (count > 1) count = Math.min(count, this.#countAt(begin1));
      }
      while (end1 < start1 + count1 - 1 && end2 < start2 + count2 - 1 && a[end1 + 1] === b[end2 + 1]) {
        end1 += 1;
        end2 += 1;
        if (count > 1) count = Math.min(count, this.#countAt(end1));
      }
      if (next <= end2) next = end2 + 1;
      const length = this.#run === undefined ? 0 : this.#run.end1 - this.#run.begin1;
      if (length < end1 - begin1 || count < this.#rarest) {
        this.#run = { begin1, end1, begin2, end2 };
        this.#rarest = count;
      }
      // Skips lines of the same kind within the run.
      let following = (this.#next[from - start1] ?? 0) - 1;
      while (following >= 0 && following <= end1) following = (this.#next[following - start1] ?? 0) - 1;
      if (following < 0) return next;
      from = following;
    }
  }
}
