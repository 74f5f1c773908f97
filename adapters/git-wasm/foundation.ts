// The parts that every folder of the adapter is built from: the repositories on disk, their locks, and worker threads.
import { availableParallelism } from 'node:os';
import type { Log } from '#core/kernel/services/log';
import { absent, Repositories, type RepositoryLocation } from './storage/repositories.ts';
import { RepositoryLocks } from './storage/repository-locks.ts';
import { ThreadPool } from './threads/thread-pool.ts';

export interface GitWasmLimits {
  /** Bytes of the pack of one push. */
  readonly pushBytes: number;
  /** Bytes of the objects of a repository, above which it takes no pushes. */
  readonly repositoryBytes: number;
  /** Bytes of the ref updates of one push. */
  readonly commandBytes: number;
  /** Threads for computations, and as many for clones and pushes. */
  readonly computeThreads: number;
  /** Tasks that may wait for a thread. */
  readonly queue: number;
  /** Seconds of one walk of history, difference or blame, and of one merge, clone or push. */
  readonly computeSeconds: number;
  readonly mergeSeconds: number;
  readonly transferSeconds: number;
  /** Seconds of one walk for the last commits of a folder. */
  readonly lastCommitsSeconds: number;
  /** Megabytes of the JavaScript heap of one thread. */
  readonly heapMegabytes: number;
  /** Seconds between two questions whether a push still stands. */
  readonly standsSeconds: number;
  /** Seconds without a byte after which a push or an answer is given up. */
  readonly idleSeconds: number;
}

const defaults: GitWasmLimits = {
  pushBytes: 200 * 1024 ** 2,
  repositoryBytes: 200 * 1024 ** 2,
  commandBytes: 4 * 1024 ** 2,
  computeThreads: Math.max(1, Math.min(4, availableParallelism())),
  queue: 1000,
  computeSeconds: 10,
  mergeSeconds: 60,
  transferSeconds: 600,
  lastCommitsSeconds: 30,
  heapMegabytes: 512,
  standsSeconds: 5,
  idleSeconds: 120,
};

export interface GitWasmOptions {
  /** Absolute path. Repositories are stored below it by uuid: `ab/abcdef….git`. */
  readonly root: string;
  readonly log: Log;
  readonly limits?: Partial<GitWasmLimits>;
  /** The caller key of the current work (`CurrentCaller`). Default: undefined, which is the server's own work. */
  readonly caller?: (() => string | undefined) | undefined;
}

export type Foundation = ReturnType<typeof foundation>;

export function foundation({ root, log, limits: given, caller }: GitWasmOptions) {
  const limits = { ...defaults, ...given };
  const repositories = new Repositories(root);
  /**
   * Turns work in a location into a method that is called with the id of the repository. Throws `NotFound` if the
   * repository does not exist, or was removed while the work failed.
   */
  const inside =
    <A extends readonly unknown[], R>(work: (location: RepositoryLocation, ...rest: A) => Promise<R>) =>
    async (repository: string, ...rest: A): Promise<R> => {
      const location = await repositories.existing(repository);
      try {
        return await work(location, ...rest);
      } catch (error) {
        throw (await repositories.exists(location).catch(() => true)) ? error : absent(repository);
      }
    };
  /** Like `inside`, for writes: removes what was written in place of a repository that was removed meanwhile. */
  const changing =
    <A extends readonly unknown[], R>(work: (location: RepositoryLocation, ...rest: A) => Promise<R>) =>
    async (repository: string, ...rest: A): Promise<R> => {
      try {
        return await inside(work)(repository, ...rest);
      } finally {
        await repositories.discardRemains(repositories.location(repository)).catch(() => undefined);
      }
    };
  return {
    root,
    log,
    limits,
    repositories,
    inside,
    changing,
    locks: new RepositoryLocks(),
    threads: new ThreadPool(limits, caller),
  };
}
