// The contract suite of `GitBackend`: every promise of the port as a check, run on one provider behind a plain HTTP
// server.
import { contract, type Check, type Suite } from './checks.ts';
import { commitChecks } from './git/commits.ts';
import { fetchChecks } from './git/fetches.ts';
import { forkChecks } from './git/forks.ts';
import { hangUpChecks } from './git/hang-ups.ts';
import { keepingChecks } from './git/keeping.ts';
import { lifeChecks } from './git/life.ts';
import { patchChecks } from './git/diffs/patches.ts';
import { treeChangeChecks } from './git/diffs/tree-changes.ts';
import { mergeChecks } from './git/merging/merges.ts';
import { openBench, type Bench, type MakeGitBackend } from './git/provider.ts';
import { pruneChecks } from './git/prunes.ts';
import { pushChecks } from './git/pushes.ts';
import { abbreviationChecks } from './git/abbreviations.ts';
import { readChecks } from './git/reads.ts';
import { refChecks } from './git/refs.ts';
import { textChecks } from './git/texts.ts';
import { writeChecks } from './git/writes.ts';

export type { GitBackendUnderTest, MakeGitBackend } from './git/provider.ts';

/** Checks of copies between repositories, of pruning and of clients that hang up take long. */
export const longGitBackendChecks: readonly Check<Bench>[] = [...keepingChecks, ...pruneChecks, ...hangUpChecks];

/** The others. */
export const quickGitBackendChecks: readonly Check<Bench>[] = [
  ...readChecks,
  ...abbreviationChecks,
  ...commitChecks,
  ...textChecks,
  ...patchChecks,
  ...treeChangeChecks,
  ...writeChecks,
  ...mergeChecks,
  ...lifeChecks,
  ...fetchChecks,
  ...forkChecks,
  ...refChecks,
  ...pushChecks,
];

export const gitBackendChecks: readonly Check<Bench>[] = [...quickGitBackendChecks, ...longGitBackendChecks];

/** One provider serves all checks. Each check only reads, or works in its own repositories. */
export function gitBackendContract<T extends Suite<T> & { teardown(work: () => Promise<void>): unknown }>(
  t: T,
  name: string,
  make: MakeGitBackend,
  checks: readonly Check<Bench>[],
): Promise<unknown> {
  return t.test(name, { timeout: 360_000 }, async (suite) => {
    const bench = await openBench(make);
    suite.teardown(() => bench.dispose());
    await contract(suite, 'keeps every promise', checks, async () => ({
      provider: bench,
      dispose: async () => undefined,
    }));
  });
}
