// Limits of git processes, requests and waiting time, with their defaults.
import { availableParallelism } from 'node:os';
import type { LeastRate } from './pace.ts';

export interface GitLimits {
  /** Short processes at the same time, such as for moving a ref; a caller has half at most. Default: cores × 4. */
  readonly interactive: number;
  /**
   * Long computations at the same time (blame, diffs, walks of history); a caller has half at most. Default: cores × 2.
   */
  readonly heavy: number;
  /**
   * Clones, fetches, pushes, archives and large blobs at the same time, which mostly wait for the network; a caller has
   * half at most. Default: cores × 8, at least 16.
   */
  readonly transfers: number;
  /**
   * Of these, clones and forks of large repositories (200,000 objects) at the same time. Default: one for each 256 MiB
   * of `transferMemoryBytes`, at least one.
   */
  readonly largeTransfers: number;
  /** The length of each queue before the next one is rejected; a caller has a quarter at most. Default 256. */
  readonly queue: number;
  /**
   * Packed objects from which a repository gets a commit-graph. Histories of fewer commits are read as fast without.
   * Default 256.
   */
  readonly graphObjects: number;
  /** `cat-file` processes in total. Default 24. */
  readonly readers: number;
  /**
   * Bytes of memory that all computations and pushes of git may use together. Past it idle readers are ended, then the
   * largest process of the caller that uses the most. Default 288 MiB.
   */
  readonly memoryBytes: number;
  /**
   * The same for clones, fetches and forks, for which git keeps a list of every object, some 250 bytes each. Default
   * 512 MiB.
   */
  readonly transferMemoryBytes: number;
  /**
   * Bytes that git may allocate at once when it unpacks a push: a file that is stored as a delta is held in memory as a
   * whole. Default 256 MiB.
   */
  readonly allocationBytes: number;
  /** The same for an object reader, of which there are many. Default 64 MiB. */
  readonly readerAllocationBytes: number;
  /** Bytes of pack in one push. Default 2 GiB. */
  readonly pushBytes: number;
  /** Bytes of ref commands at the beginning of one push. Default 4 MiB. */
  readonly commandBytes: number;
  /** Blobs with more bytes are streamed from a separate process. Default 8 MiB. */
  readonly pooledBlobBytes: number;
  /** Seconds a short process may take. Default 30. */
  readonly readSeconds: number;
  /** Seconds one computation may take. Default 10, as at GitHub. */
  readonly computeSeconds: number;
  /** Seconds one merge may take before it is pushed. Default 60. */
  readonly mergeSeconds: number;
  /** Seconds a clone or push may take in total. Default 3600. */
  readonly transferSeconds: number;
  /** Seconds without a byte of a pack in either direction after which a clone or push is aborted. Default 120. */
  readonly idleSeconds: number;
  /** The recheck interval, in seconds, of a push while its refs move. Default 5. */
  readonly standsSeconds: number;
  /** The minimum transfer rate of a client that holds a slot. Default 1 KiB a second, measured over a minute. */
  readonly leastRate: LeastRate;
  /** Seconds a caller waits for last commits before the answer is sent with entries missing. Default 30. */
  readonly lastCommitSeconds: number;
  /** Seconds after which a walk for last commits is ended. Default 300. */
  readonly walkSeconds: number;
}

export function gitLimits(given: Partial<GitLimits> = {}): GitLimits {
  const cores = availableParallelism();
  const { transferMemoryBytes = 512 * 1024 ** 2 } = given;
  return {
    interactive: cores * 4,
    heavy: cores * 2,
    transfers: Math.max(16, cores * 8),
    largeTransfers: Math.max(1, Math.floor(transferMemoryBytes / (256 * 1024 ** 2))),
    queue: 256,
    graphObjects: 256,
    readers: 24,
    memoryBytes: 288 * 1024 ** 2,
    transferMemoryBytes,
    allocationBytes: 256 * 1024 ** 2,
    readerAllocationBytes: 64 * 1024 ** 2,
    pushBytes: 2 * 1024 ** 3,
    commandBytes: 4 * 1024 ** 2,
    pooledBlobBytes: 8 * 1024 ** 2,
    readSeconds: 30,
    computeSeconds: 10,
    mergeSeconds: 60,
    transferSeconds: 3600,
    idleSeconds: 120,
    standsSeconds: 5,
    leastRate: { bytesPerSecond: 1024, seconds: 60 },
    lastCommitSeconds: 30,
    walkSeconds: 300,
    ...given,
  };
}

/** The time limits of a process that sends or receives as long as bytes move. */
export const transferTimes = ({ transferSeconds, idleSeconds }: GitLimits) =>
  ({ deadlineMs: transferSeconds * 1000, idleMs: idleSeconds * 1000 }) as const;
