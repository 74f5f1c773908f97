// Runs git for the upkeep of a repository, in the server's own name and without the memory budgets of callers.
import type { Foundation } from '../foundation.ts';
import type { RunOptions, RunResult } from '../process/git-process.ts';
import type { RepositoryLocation } from '../storage/repositories.ts';

const deadlineMs = 30 * 60_000;
/**
 * Derived data is synced too: a commit-graph torn by a power loss is worse than a missing one, and pruning deletes the
 * source of a pack.
 */
const config = { 'core.fsync': 'all' };

export type UpkeepGit = ReturnType<typeof upkeepGit>;

export function upkeepGit({ limiter, limits, processes }: Foundation) {
  const slots = limiter('upkeep', Math.ceil(limits.heavy / 2));
  return (
    location: RepositoryLocation,
    args: readonly string[],
    options: Partial<RunOptions> = {},
  ): Promise<RunResult> =>
    slots.run(
      () => processes.runIn(location, args, { config, deadlineMs, budget: 'upkeep', ...options }),
      options.signal,
    );
}
