// The contract suite of `GitBackend`: every promise of the port as a check, run on one provider behind a plain HTTP
// server.
import { contract, type Check, type Suite } from './checks.ts';
import { commitChecks } from './git/commits.ts';
import { fetchChecks } from './git/fetches.ts';
import { forkChecks } from './git/forks.ts';
import { hangUpChecks } from './git/hang-ups.ts';
import { keepingChecks } from './git/keeping.ts';
import { lifeChecks } from './git/life.ts';
import { patchChecks } from './git/patches.ts';
import { mergeChecks } from './git/merges.ts';
import { openBench, type Bench, type MakeGitBackend } from './git/provider.ts';
import { pruneChecks } from './git/prunes.ts';
import { pushChecks } from './git/pushes.ts';
import { readChecks } from './git/reads.ts';
import { refChecks } from './git/refs.ts';
import { writeChecks } from './git/writes.ts';

export type { GitBackendUnderTest, MakeGitBackend } from './git/provider.ts';

export const gitBackendChecks: readonly Check<Bench>[] = [
  ...readChecks,
  ...commitChecks,
  ...patchChecks,
  ...writeChecks,
  ...mergeChecks,
  ...lifeChecks,
  ...fetchChecks,
  ...forkChecks,
  ...keepingChecks,
  ...refChecks,
  ...pruneChecks,
  ...pushChecks,
  ...hangUpChecks,
];

/** One provider serves all checks. Each check only reads, or works in its own repositories. */
export function gitBackendContract<T extends Suite<T> & { teardown(work: () => Promise<void>): unknown }>(
  t: T,
  name: string,
  make: MakeGitBackend,
): Promise<unknown> {
  return t.test(name, { timeout: 360_000 }, async (suite) => {
    const bench = await openBench(make);
    suite.teardown(() => bench.dispose());
    await contract(suite, 'keeps every promise', gitBackendChecks, async () => ({
      provider: bench,
      dispose: async () => undefined,
    }));
  });
}
