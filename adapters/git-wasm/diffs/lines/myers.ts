// The diff algorithm that git calls `myers`, with its heuristics for long and repetitive files. A port of the one in
// xdiff, so that the same lines are found to have changed.
import type { Check } from '../../objects/object-store.ts';

/** Lines that occur in one file only are left out of the comparison; the others keep their place in the file. */
interface Reduced {
  readonly ids: Int32Array;
  readonly places: Int32Array;
  readonly changed: Uint8Array;
  /** Added to a place for its index in `changed`. */
  readonly base: number;
}

const keptRun = 4;
const mostEqual = 1024;
const scanWindow = 100;
const snakeLines = 20;
const heuristicCost = 256;
const leastMaxCost = 256;
const heuristicFactor = 4;
const farthest = 2 ** 31 - 1;

/** A power of two near the square root. */
function roughRoot(count: number): number {
  let root = 1;
  for (let left = count; left > 0; left >>= 2) root <<= 1;
  return root;
}

/** Marks the lines that changed between two lists of lines. The marks of line `n` are at `base + n`. */
export function myers(
  one: { readonly ids: Int32Array; readonly changed: Uint8Array; readonly base: number },
  other: { readonly ids: Int32Array; readonly changed: Uint8Array; readonly base: number },
  check: Check,
): void {
  const [a, b] = reduced(one, other);
  const diagonals = a.ids.length + b.ids.length + 3;
  const walk = new Walk(a, b, Math.max(leastMaxCost, roughRoot(diagonals)), check);
  walk.compare(0, a.ids.length, 0, b.ids.length, false);
}

function reduced(
  one: { readonly ids: Int32Array; readonly changed: Uint8Array; readonly base: number },
  other: { readonly ids: Int32Array; readonly changed: Uint8Array; readonly base: number },
): readonly [Reduced, Reduced] {
  const [a, b] = [one.ids, other.ids];
  const shorter = Math.min(a.length, b.length);
  let start = 0;
  while (start < shorter && a[start] === b[start]) start += 1;
  let tail = 0;
  while (tail < shorter - start && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail += 1;
  return [kept(one, counts(b), start, a.length - tail), kept(other, counts(a), start, b.length - tail)];
}

function counts(ids: Int32Array): ReadonlyMap<number, number> {
  const found = new Map<number, number>();
  for (const id of ids) found.set(id, (found.get(id) ?? 0) + 1);
  return found;
}

function kept(
  { ids, changed, base }: { readonly ids: Int32Array; readonly changed: Uint8Array; readonly base: number },
  others: ReadonlyMap<number, number>,
  start: number,
  end: number,
): Reduced {
  const most = Math.min(mostEqual, roughRoot(ids.length));
  /** 0: not in the other file; 1: there; 2: there very often. */
  const kinds = new Uint8Array(ids.length + 1);
  for (let at = start; at < end; at += 1) {
    const count = others.get(ids[at] ?? -1) ?? 0;
    kinds[at] = count === 0 ? 0 : count >= most ? 2 : 1;
  }
  const places: number[] = [];
  for (let at = start; at < end; at += 1) {
    if (kinds[at] === 1 || (kinds[at] === 2 && !isAmongUnmatched(kinds, at, start, end - 1))) places.push(at);
    else changed[base + at] = 1;
  }
  return { ids: Int32Array.from(places, (at) => ids[at] ?? 0), places: Int32Array.from(places), changed, base };
}

function isAmongUnmatched(kinds: Uint8Array, at: number, start: number, end: number): boolean {
  const from = Math.max(start, at - scanWindow);
  const to = Math.min(end, at + scanWindow);
  const scan = (step: -1 | 1): readonly [unmatched: number, frequent: number] => {
    let [unmatched, frequent] = [0, 1];
    for (let index = at + step; index >= from && index <= to; index += step) {
      if (kinds[index] === 0) unmatched += 1;
      else if (kinds[index] === 2) frequent += 1;
      else break;
    }
    return [unmatched, frequent];
  };
  const [before, frequentBefore] = scan(-1);
  if (before === 0) return false;
  const [after, frequentAfter] = scan(1);
  if (after === 0) return false;
  const frequent = frequentBefore + frequentAfter;
  return frequent * keptRun < frequent + before + after;
}

interface Split {
  at1: number;
  at2: number;
  /** Whether each half is to be compared without heuristics. */
  low: boolean;
  high: boolean;
}

class Walk {
  readonly #a: Reduced;
  readonly #b: Reduced;
  readonly #maxCost: number;
  readonly #check: Check;
  readonly #forward: Int32Array;
  readonly #backward: Int32Array;
  /** The index of diagonal 0. */
  readonly #zero: number;

  constructor(a: Reduced, b: Reduced, maxCost: number, check: Check) {
    this.#a = a;
    this.#b = b;
    this.#maxCost = maxCost;
    this.#check = check;
    const diagonals = a.ids.length + b.ids.length + 3;
    this.#forward = new Int32Array(diagonals + 2);
    this.#backward = new Int32Array(diagonals + 2);
    this.#zero = b.ids.length + 1;
  }

  compare(from1: number, to1: number, from2: number, to2: number, minimal: boolean): void {
    const [a, b] = [this.#a.ids, this.#b.ids];
    let [off1, lim1, off2, lim2] = [from1, to1, from2, to2];
    while (off1 < lim1 && off2 < lim2 && a[off1] === b[off2]) {
      off1 += 1;
      off2 += 1;
    }
    while (off1 < lim1 && off2 < lim2 && a[lim1 - 1] === b[lim2 - 1]) {
      lim1 -= 1;
      lim2 -= 1;
    }
    if (off1 === lim1) mark(this.#b, off2, lim2);
    else if (off2 === lim2) mark(this.#a, off1, lim1);
    else {
      const split = this.#split(off1, lim1, off2, lim2, minimal);
      this.compare(off1, split.at1, off2, split.at2, split.low);
      this.compare(split.at1, lim1, split.at2, lim2, split.high);
    }
  }

  #split(off1: number, lim1: number, off2: number, lim2: number, minimal: boolean): Split {
    const [a, b, zero, forward, backward] = [this.#a.ids, this.#b.ids, this.#zero, this.#forward, this.#backward];
    const [least, most] = [off1 - lim2, lim1 - off2];
    const [fmid, bmid] = [off1 - off2, lim1 - lim2];
    const odd = ((fmid - bmid) & 1) !== 0;
    let [fmin, fmax, bmin, bmax] = [fmid, fmid, bmid, bmid];
    forward[zero + fmid] = off1;
    backward[zero + bmid] = lim1;
    for (let cost = 1; ; cost += 1) {
      this.#check();
      let snake = false;
      if (fmin > least) forward[zero + (fmin -= 1) - 1] = -1;
      else fmin += 1;
      if (fmax < most) forward[zero + (fmax += 1) + 1] = -1;
      else fmax -= 1;
      for (let d = fmax; d >= fmin; d -= 2) {
        const [below, above] = [forward[zero + d - 1] ?? 0, forward[zero + d + 1] ?? 0];
        let i1 = below >= above ? below + 1 : above;
        const begin = i1;
        let i2 = i1 - d;
        while (i1 < lim1 && i2 < lim2 && a[i1] === b[i2]) {
          i1 += 1;
          i2 += 1;
        }
        if (i1 - begin > snakeLines) snake = true;
        forward[zero + d] = i1;
        if (odd && bmin <= d && d <= bmax && (backward[zero + d] ?? 0) <= i1)
          return { at1: i1, at2: i2, low: true, high: true };
      }
      if (bmin > least) backward[zero + (bmin -= 1) - 1] = farthest;
      else bmin += 1;
      if (bmax < most) backward[zero + (bmax += 1) + 1] = farthest;
      else bmax -= 1;
      for (let d = bmax; d >= bmin; d -= 2) {
        const [below, above] = [backward[zero + d - 1] ?? 0, backward[zero + d + 1] ?? 0];
        let i1 = below < above ? below : above - 1;
        const begin = i1;
        let i2 = i1 - d;
        while (i1 > off1 && i2 > off2 && a[i1 - 1] === b[i2 - 1]) {
          i1 -= 1;
          i2 -= 1;
        }
        if (begin - i1 > snakeLines) snake = true;
        backward[zero + d] = i1;
        if (!odd && fmin <= d && d <= fmax && i1 <= (forward[zero + d] ?? 0))
          return { at1: i1, at2: i2, low: true, high: true };
      }
      if (minimal) continue;
      if (snake && cost > heuristicCost) {
        const found =
          this.#goodForward({ off1, lim1, off2, lim2 }, fmin, fmax, fmid, cost) ??
          this.#goodBackward({ off1, lim1, off2, lim2 }, bmin, bmax, bmid, cost);
        if (found !== undefined) return found;
      }
      if (cost >= this.#maxCost) return this.#farthest({ off1, lim1, off2, lim2 }, [fmin, fmax], [bmin, bmax]);
    }
  }

  /** A long run of equal lines that is far along, found from the beginning. */
  #goodForward(
    { off1, lim1, off2, lim2 }: Box,
    fmin: number,
    fmax: number,
    fmid: number,
    cost: number,
  ): Split | undefined {
    const [a, b] = [this.#a.ids, this.#b.ids];
    let best = 0;
    let found: Split | undefined;
    for (let d = fmax; d >= fmin; d -= 2) {
      const i1 = this.#forward[this.#zero + d] ?? 0;
      const i2 = i1 - d;
      const value = i1 - off1 + (i2 - off2) - Math.abs(d - fmid);
      if (value <= heuristicFactor * cost || value <= best) continue;
      if (off1 + snakeLines > i1 || i1 >= lim1 || off2 + snakeLines > i2 || i2 >= lim2) continue;
      for (let k = 1; a[i1 - k] === b[i2 - k]; k += 1)
        if (k === snakeLines) {
          best = value;
          found = { at1: i1, at2: i2, low: true, high: false };
          break;
        }
    }
    return found;
  }

  /** The same from the end. */
  #goodBackward(
    { off1, lim1, off2, lim2 }: Box,
    bmin: number,
    bmax: number,
    bmid: number,
    cost: number,
  ): Split | undefined {
    const [a, b] = [this.#a.ids, this.#b.ids];
    let best = 0;
    let found: Split | undefined;
    for (let d = bmax; d >= bmin; d -= 2) {
      const i1 = this.#backward[this.#zero + d] ?? 0;
      const i2 = i1 - d;
      const value = lim1 - i1 + (lim2 - i2) - Math.abs(d - bmid);
      if (value <= heuristicFactor * cost || value <= best) continue;
      if (off1 >= i1 || i1 > lim1 - snakeLines || off2 >= i2 || i2 > lim2 - snakeLines) continue;
      for (let k = 0; a[i1 + k] === b[i2 + k]; k += 1)
        if (k === snakeLines - 1) {
          best = value;
          found = { at1: i1, at2: i2, low: false, high: true };
          break;
        }
    }
    return found;
  }

  /** The point that is farthest from where the search began. */
  #farthest(
    { off1, lim1, off2, lim2 }: Box,
    [fmin, fmax]: readonly [number, number],
    [bmin, bmax]: readonly [number, number],
  ): Split {
    let [fbest, fbest1] = [-1, -1];
    for (let d = fmax; d >= fmin; d -= 2) {
      let i1 = Math.min(this.#forward[this.#zero + d] ?? 0, lim1);
      let i2 = i1 - d;
      if (lim2 < i2) [i1, i2] = [lim2 + d, lim2];
      if (fbest < i1 + i2) [fbest, fbest1] = [i1 + i2, i1];
    }
    let [bbest, bbest1] = [farthest, farthest];
    for (let d = bmax; d >= bmin; d -= 2) {
      let i1 = Math.max(off1, this.#backward[this.#zero + d] ?? 0);
      let i2 = i1 - d;
      if (i2 < off2) [i1, i2] = [off2 + d, off2];
      if (i1 + i2 < bbest) [bbest, bbest1] = [i1 + i2, i1];
    }
    return lim1 + lim2 - bbest < fbest - (off1 + off2)
      ? { at1: fbest1, at2: fbest - fbest1, low: true, high: false }
      : { at1: bbest1, at2: bbest - bbest1, low: false, high: true };
  }
}

interface Box {
  readonly off1: number;
  readonly lim1: number;
  readonly off2: number;
  readonly lim2: number;
}

function mark({ places, changed, base }: Reduced, from: number, to: number): void {
  for (let at = from; at < to; at += 1) changed[base + (places[at] ?? 0)] = 1;
}
