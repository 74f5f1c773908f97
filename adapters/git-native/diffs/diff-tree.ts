// Runs `git diff-tree` and streams its output; configuration and attributes do not affect the result.
import type { Oid } from '#core/repositories/git/git-backend';
import type { GitConfig } from '../process/environment.ts';
import type { Foundation } from '../foundation.ts';
import { TimeSlice } from '#adapters/git-common/waiting/time-slice';
import type { RepositoryLocation } from '../storage/repositories.ts';

const config: GitConfig = {
  'core.quotePath': 'true',
  'diff.suppressBlankEmpty': 'false',
};

/** The output formats, and a fixed value for each option that configuration or attributes could otherwise change. */
const fixed = [
  '-r',
  '-M',
  '-l1000',
  '--raw',
  '--numstat',
  '-z',
  '-p',
  '-U3',
  '--inter-hunk-context=0',
  '--indent-heuristic',
  '--full-index',
  '--src-prefix=a/',
  '--dst-prefix=b/',
  '-O/dev/null',
  '--submodule=short',
  '--ignore-submodules=none',
  '--no-relative',
  '--no-ext-diff',
  '--no-textconv',
  '--no-color',
] as const;

export interface DiffTree {
  readonly from: Oid;
  readonly to: Oid;
  readonly algorithm?: 'myers' | 'histogram';
  readonly paths?: readonly string[] | undefined;
}

/**
 * Passes the output to `take` in chunks, and stops git when `take` returns false. The output is, in this order: the raw
 * lines, the counts of added and deleted lines per file, one extra NUL byte, the patches.
 * @returns whether git ran to its end.
 * @throws {TooCostly | Unavailable | Internal} or the signal's reason.
 */
export async function diffTree(
  { processes, deadlineMs }: Foundation,
  location: RepositoryLocation,
  { from, to, algorithm = 'myers', paths = [] }: DiffTree,
  signal: AbortSignal,
  take: (chunk: Buffer) => boolean,
): Promise<boolean> {
  const process = await processes.startIn(
    location,
    ['diff-tree', ...fixed, `--diff-algorithm=${algorithm}`, from, to, '--', ...paths],
    { input: '', deadlineMs, signal, config },
  );
  const slice = new TimeSlice();
  for await (const chunk of process.output()) {
    if (!take(chunk)) {
      await process.stop('the reader of the diff accepts no more');
      return false;
    }
    if (slice.over) await slice.rest();
  }
  await process.success('Try again later, or compare commits that are closer');
  return true;
}
