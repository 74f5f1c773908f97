// Reads the results that the test runner stores of the last run of each suite.
import { createReadStream, existsSync } from 'node:fs';
import { join } from 'node:path';
import { Parser, type FinalResults } from 'tap-parser';
import { root } from './project-files.ts';

interface Count {
  passed: number;
  failed: number;
  skipped: number;
}

export interface Results extends Count {
  /** Counts of assertions by suite, then by the names of their tests joined by ` > `. */
  readonly bySuite: ReadonlyMap<string, ReadonlyMap<string, Readonly<Count>>>;
  /** By suite, how long it ran beside the others. */
  readonly seconds: ReadonlyMap<string, number>;
}

const zero = (): Count => ({ passed: 0, failed: 0, skipped: 0 });

/** A suite without a result counts as one failure. */
export async function readResults(suites: readonly string[]): Promise<Results> {
  const total = zero();
  const bySuite = new Map<string, ReadonlyMap<string, Count>>();
  const seconds = new Map<string, number>();
  for (const suite of suites) {
    const { counts, milliseconds } = await resultOf(suite);
    bySuite.set(suite, counts);
    seconds.set(suite, Math.round(milliseconds / 1000));
    if (counts.size === 0) total.failed++;
    for (const { passed, failed, skipped } of counts.values()) {
      total.passed += passed;
      total.failed += failed;
      total.skipped += skipped;
    }
  }
  return { ...total, bySuite, seconds };
}

async function resultOf(
  suite: string,
): Promise<{ readonly counts: Map<string, Count>; readonly milliseconds: number }> {
  const counts = new Map<string, Count>();
  const file = join(root, '.tap/test-results/test', `${suite}.suite.ts.tap`);
  if (!existsSync(file)) return { counts, milliseconds: 0 };
  const parser = new Parser();
  parser.on('result', ({ ok, skip, todo, fullname }) => {
    const count = counts.get(fullname) ?? zero();
    counts.set(fullname, count);
    if (skip !== false || todo !== false) count.skipped++;
    else if (ok) count.passed++;
    else count.failed++;
  });
  const complete = new Promise<FinalResults>((resolve) => parser.once('complete', resolve));
  for await (const chunk of createReadStream(file, 'utf8')) parser.write(chunk as string);
  parser.end();
  const { time } = await complete;
  return { counts, milliseconds: time ?? 0 };
}
