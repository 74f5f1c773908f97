// Limits on git processes, requests and waiting time, with their defaults.
import { availableParallelism } from 'node:os';
import type { LeastRate } from './pace.ts';

export interface GitLimits {
  /** Short processes at once (move a ref, ask for an ancestor); a caller has half at most. Default: cores × 4. */
  readonly interactive: number;
  /** Long computations at once (blame, diffs, walks of history); a caller has half at most. Default: cores × 2. */
  readonly heavy: number;
  /**
   * Clones, fetches, pushes, archives and large blobs at once, of which a caller has half at most: they mostly
   * wait for the network. Default: cores × 8, at least 16.
   */
  readonly transfers: number;
  /**
   * Of these, clones and forks of large repositories (200,000 objects) at once. Default: one for each 256 MiB that
   * transfers may hold, at least one.
   */
  readonly largeTransfers: number;
  /** Who may wait in each queue before the next is refused, a quarter of them of one caller. Default 256. */
  readonly queue: number;
  /** `cat-file` processes kept in all. Default 24. */
  readonly readers: number;
  /**
   * Bytes that what git computes or takes in may hold in memory in all: readers that rest go, then the largest of the
   * greediest caller. Default 288 MiB.
   */
  readonly memoryBytes: number;
  /**
   * The same of clones, fetches and forks, of which git holds a list of every object, some 250 bytes each. Default 512
   * MiB.
   */
  readonly transferMemoryBytes: number;
  /**
   * Bytes that git may allocate in one piece where it unpacks what was pushed: a file that is stored as a delta is held
   * whole. Default 256 MiB.
   */
  readonly allocationBytes: number;
  /** The same for an object reader, of which there are many. Default 64 MiB. */
  readonly readerAllocationBytes: number;
  /** Bytes of pack one push may carry. Default 2 GiB. */
  readonly pushBytes: number;
  /** Bytes of ref commands one push may begin with. Default 4 MiB. */
  readonly commandBytes: number;
  /** Blobs over this many bytes are streamed by a process of their own. Default 8 MiB. */
  readonly pooledBlobBytes: number;
  /** Seconds a short process may take. Default 30. */
  readonly readSeconds: number;
  /** Seconds one computation may take. Default 10, as at GitHub. */
  readonly computeSeconds: number;
  /** Seconds one merge may take before it is pushed. Default 60. */
  readonly mergeSeconds: number;
  /** Seconds a clone or push may take in all. Default 3600. */
  readonly transferSeconds: number;
  /** Seconds without a byte of a pack either way after which a clone or push is given up. Default 120. */
  readonly idleSeconds: number;
  /** Seconds for which a push stands without being asked about again while its refs move. Default 5. */
  readonly standsSeconds: number;
  /** What a client has to send or to read while it holds a place. Default 1 KiB a second, judged by the minute. */
  readonly leastRate: LeastRate;
  /** Seconds a caller waits for last commits before the answer goes out with entries missing. Default 30. */
  readonly lastCommitSeconds: number;
  /** Seconds after which a walk that nobody was answered by is given up. Default 300. */
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
