// The supervisor of the embedded database's thread: restarts it when it has ended, once the disk has enough space.
// Meanwhile every query fails with the reason.
import { setTimeout as pause } from 'node:timers/promises';
import type { Log } from '#core/kernel/services/log';
import { databaseFreeBytes, inMebibytes, space } from './free-space.ts';
import { DatabaseThread, type ThreadOptions, type UpkeepNotice } from './thread.ts';

export interface SupervisorOptions extends Pick<ThreadOptions, 'upkeep' | 'statementMs'> {
  readonly directory: string;
  readonly log: Log;
  /** For tests. */
  readonly free?: () => number;
}

/** Pauses between restart attempts; milliseconds. */
const pauses = { first: 500, longest: 30_000, full: 1000 } as const;

export class SupervisedThread {
  readonly #options: SupervisorOptions;
  /**
   * The running thread. A transaction stays on the thread on which it was begun; if that ends, uncommitted changes are
   * lost.
   */
  thread: DatabaseThread;
  #restarting: Promise<void> | undefined;
  /** Whether writes are rejected for lack of space. */
  full = false;
  #supervised = false;
  readonly #stopping = new AbortController();

  constructor(options: SupervisorOptions) {
    this.#options = options;
    this.thread = this.#start();
  }

  /** Enables restarts. Before this call, the code that opens the database reports the end of the thread. */
  supervise(): void {
    this.#supervised = true;
  }

  async close(): Promise<void> {
    this.#stopping.abort();
    await this.#restarting;
    await this.thread.close();
  }

  #start(): DatabaseThread {
    const { directory, upkeep, statementMs } = this.#options;
    return new DatabaseThread(directory, {
      upkeep,
      statementMs,
      ended: (error) => this.#ended(error),
      noticed: (notice) => this.#noticed(notice),
    });
  }

  #ended(error: Error): void {
    if (!this.#supervised || this.#stopping.signal.aborted || this.#restarting !== undefined) return;
    const { directory, log } = this.#options;
    log.error({ directory, error: error.message }, 'the embedded database has ended; it is started again');
    this.#restarting = this.#restart().finally(() => {
      this.#restarting = undefined;
    });
  }

  /** Never rejects, because it is not awaited while running. */
  async #restart(): Promise<void> {
    const { directory, log } = this.#options;
    const { signal } = this.#stopping;
    let told = false;
    for (let wait: number = pauses.first; ; wait = Math.min(pauses.longest, wait * 2)) {
      while (!signal.aborted && this.#free() < space.reserve) {
        this.full = true;
        if (!told)
          log.error(spaceFacts(directory, inMebibytes(this.#free())), 'the disk is full: the database waits for space');
        told = true;
        await pause(pauses.full, undefined, { signal, ref: false }).catch(() => undefined);
      }
      await pause(wait, undefined, { signal, ref: false }).catch(() => undefined);
      if (signal.aborted) return;
      this.full = false;
      try {
        this.thread = this.#start();
        await this.thread.query('select 1', []);
        log.warn({ directory }, 'the embedded database runs again');
        return;
      } catch (error) {
        log.error({ directory, error: String(error) }, 'the embedded database did not start; trying again');
        await this.thread.close();
      }
    }
  }

  /** Free bytes. Unlimited if the disk cannot be read, so that the start itself reports the error. */
  #free(): number {
    const { directory, free = () => databaseFreeBytes(directory) } = this.#options;
    try {
      return free();
    } catch {
      return Number.POSITIVE_INFINITY;
    }
  }

  #noticed(notice: UpkeepNotice): void {
    const { directory, log } = this.#options;
    if (notice.notice === 'space') {
      this.full = notice.refusing;
      const facts = spaceFacts(directory, notice.free);
      if (notice.refusing) log.error(facts, 'the disk is nearly full: the database takes no writes');
      else log.warn(facts, 'the disk has space again: the database takes writes');
    } else log.warn({ directory, error: notice.reason }, 'the embedded database was not checkpointed or vacuumed');
  }
}

const spaceFacts = (directory: string, free: number) => ({
  directory,
  freeMiB: free,
  neededMiB: inMebibytes(space.resume),
});
