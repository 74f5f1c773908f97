// Runs git for the upkeep of a repository, in the server's own name and without the memory budgets of callers.
import type { Foundation } from '../foundation.ts';
import type { RunOptions, RunResult } from '../process/git-process.ts';
import type { Limiter } from '../process/limiter.ts';
import type { RepositoryLocation } from '../storage/repositories.ts';

const deadlineMs = 30 * 60_000;
/**
 * Derived data is synced too: a commit-graph torn by a power loss is worse than a missing one, and pruning deletes the
 * source of a pack.
 */
const config = { 'core.fsync': 'all' };

export class UpkeepGit {
  readonly #limiter: Limiter;
  readonly #processes: Foundation['processes'];

  constructor({ limiter, limits, processes }: Foundation) {
    this.#limiter = limiter('upkeep', Math.ceil(limits.heavy / 2));
    this.#processes = processes;
  }

  run(location: RepositoryLocation, args: readonly string[], options: Partial<RunOptions> = {}): Promise<RunResult> {
    const run = () => this.#processes.runIn(location, args, { config, deadlineMs, budget: 'upkeep', ...options });
    return this.#limiter.run(run, options.signal);
  }
}
