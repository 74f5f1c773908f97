// Compares a measurement of the forge with a measurement of its baseline: alternated runs, the median of each, their
// ratio, and the spread of the ratios.

/**
 * One row of the table: `ours` is the figure of the forge, `limit` that of the baseline, `held` whether the target is
 * met. `unit` names the unit: milliseconds, requests per second or MB.
 */
export interface Line {
  readonly name: string;
  readonly engine: string;
  readonly unit: string;
  readonly ours: number;
  readonly limit: number;
  readonly ratio: number;
  /** The smallest and largest ratio of the runs. */
  readonly spread: readonly [number, number];
  /** The required ratio or bound, such as `≤ 1.15 ×`. */
  readonly target: string;
  readonly held: boolean;
}

export interface Comparison {
  readonly name: string;
  readonly engine: string;
  readonly unit: string;
  readonly target: { readonly most: number } | { readonly least: number };
  readonly ours: () => Promise<number>;
  readonly limit: () => Promise<number>;
  readonly rounds?: number;
}

/** Runs `ours` and its baseline `limit` alternately, swapping the order each round, and compares medians. */
export async function compare({ name, engine, unit, target, ours, limit, rounds = 5 }: Comparison): Promise<Line> {
  const mine: number[] = [];
  const theirs: number[] = [];
  for (let round = 0; round < rounds; round++) {
    if (round % 2 === 0) {
      theirs.push(await limit());
      mine.push(await ours());
    } else {
      mine.push(await ours());
      theirs.push(await limit());
    }
  }
  const ratios = mine.map((value, index) => value / (theirs[index] ?? Number.NaN));
  const ratio = median(mine) / median(theirs);
  return {
    name,
    engine,
    unit,
    ours: median(mine),
    limit: median(theirs),
    ratio,
    spread: [Math.min(...ratios), Math.max(...ratios)],
    target: 'most' in target ? `≤ ${target.most} ×` : `≥ ${target.least} ×`,
    held: 'most' in target ? ratio <= target.most : ratio >= target.least,
  };
}

/** Compares values with a fixed bound, for figures without a baseline in the same run, such as start-up and memory. */
export function bounded(line: {
  readonly name: string;
  readonly engine: string;
  readonly unit: string;
  readonly values: readonly number[];
  readonly most: number;
}): Line {
  const value = median(line.values);
  const ratios = line.values.map((one) => one / line.most);
  return {
    name: line.name,
    engine: line.engine,
    unit: line.unit,
    ours: value,
    limit: line.most,
    ratio: value / line.most,
    spread: [Math.min(...ratios), Math.max(...ratios)],
    target: `≤ ${line.most} ${line.unit}`,
    held: value <= line.most,
  };
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1
    ? (sorted[middle] ?? Number.NaN)
    : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2;
}

/** The milliseconds that `work` takes. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}
