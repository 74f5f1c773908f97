// Compares two files line by line, with the same result as git.
import type { DiffAlgorithm } from '#core/repositories/git/git-diffs';
import type { Check } from '../../objects/object-store.ts';
import { compact } from './compaction.ts';
import { histogram } from './histogram.ts';
import { changesIn, lineFiles, type LineChange, type LineFile } from './line-files.ts';
import { myers } from './myers.ts';

export interface LineDiff {
  readonly before: LineFile;
  readonly after: LineFile;
  readonly changes: readonly LineChange[];
}

export function lineDiff(one: Buffer, other: Buffer, algorithm: DiffAlgorithm, check: Check): LineDiff {
  const [before, after] = lineFiles(one, other);
  if (algorithm === 'histogram') histogram(before, after, check);
  else myers({ ...before, base: 0 }, { ...after, base: 0 }, check);
  compact(before, after);
  compact(after, before);
  return { before, after, changes: changesIn(before, after) };
}

const block = 1024;

/** The files without their common end, which git cuts off in blocks before it compares them without context. */
export function withoutCommonTail(one: Buffer, other: Buffer): readonly [Buffer, Buffer] {
  const shorter = Math.min(one.length, other.length);
  let cut = 0;
  while (
    cut + block <= shorter &&
    one.compare(other, other.length - cut - block, other.length - cut, one.length - cut - block, one.length - cut) === 0
  )
    cut += block;
  let recovered = 0;
  while (recovered < cut) {
    recovered += 1;
    if (one[one.length - cut + recovered - 1] === 0x0a) break;
  }
  const left = cut - recovered;
  return [one.subarray(0, one.length - left), other.subarray(0, other.length - left)];
}
