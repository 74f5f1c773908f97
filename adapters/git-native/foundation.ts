// The parts that every folder of the adapter is built from: git processes with their limits, and the repositories on
// disk.
import { join } from 'node:path';
import type { Log } from '#core/kernel/services/log';
import type { Clock } from '#core/kernel/time';
import { Removals } from './files/removals.ts';
import { GitProcesses } from './process/git-process.ts';
import { LiveProcesses } from './process/launcher/live-processes.ts';
import { Limiter } from './process/limiter.ts';
import { gitLimits, type GitLimits } from './process/limits.ts';
import { Repositories } from './storage/repositories.ts';
import { visits } from './storage/visits.ts';
import { Changes } from './changes/changes.ts';

export interface GitNativeOptions {
  /** Absolute path. Repositories are stored below it by uuid: `ab/abcdef….git`. */
  readonly root: string;
  readonly log: Log;
  /** Determines the age of stale files. Default: the system clock. */
  readonly clock?: Clock;
  /** The git program. Default: `git`, as found on the standard path. */
  readonly gitPath?: string;
  readonly limits?: Partial<GitLimits>;
  /**
   * The caller key of the current work (`CurrentCaller`); undefined for the server's own work, which is the default.
   */
  readonly caller?: () => string | undefined;
}

export type Foundation = ReturnType<typeof foundation>;

export function foundation(options: GitNativeOptions) {
  const { root, log, clock, caller, gitPath = 'git' } = options;
  const limits = gitLimits(options.limits);
  const liveProcesses = new LiveProcesses(root);
  const removals = new Removals(log);
  const repositories = new Repositories(root, removals, join(liveProcesses.folder, 'new'));
  const limiter = (name: string, slots: number): Limiter => new Limiter(name, { slots, queue: limits.queue, caller });
  return {
    root,
    log,
    caller,
    limits,
    liveProcesses,
    removals,
    repositories,
    ...visits(repositories, removals),
    processes: new GitProcesses(gitPath, { ...limits, caller, environment: liveProcesses.environment }),
    changes: new Changes({
      liveProcesses,
      directoryOf: (repository) => repositories.location(repository).directory,
      log,
    }),
    /** Milliseconds since 1970. */
    now: (): number => clock?.now().getTime() ?? Date.now(),
    limiter,
    interactive: limiter('reads', limits.interactive),
    transfers: limiter('transfers', limits.transfers),
    /** A separate limiter from that of maintenance, because callers wait for these computations. */
    heavy: limiter('computations', limits.heavy),
    /** Milliseconds that one computation may take. */
    deadlineMs: limits.computeSeconds * 1000,
  };
}
