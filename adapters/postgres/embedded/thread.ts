// The client of the embedded database's worker thread: requests and answers by message, and a time limit per statement.
import { getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';
import { Worker, type WorkerOptions } from 'node:worker_threads';
import type { DriverError } from '../statements/errors.ts';
import { limited } from '../statements/limited.ts';
import { liftBound } from '../statements/stalled-connections.ts';
import type { UpkeepBounds } from './upkeep.ts';

export type Request = { readonly id: number } & (
  | { readonly ask: 'query'; readonly sql: string; readonly parameters: readonly unknown[] }
  | { readonly ask: 'syncs' | 'close' }
);

export interface Answer {
  readonly id: number;
  readonly rows: readonly unknown[];
  readonly affected: number;
  readonly error?: DriverError;
}

/** An upkeep event that must be logged. `free` is in MiB. */
export type UpkeepNotice =
  | { readonly notice: 'upkeep failed'; readonly reason: string }
  | { readonly notice: 'space'; readonly refusing: boolean; readonly free: number };

/** A message that the thread sends without a request. */
export type Notice =
  | UpkeepNotice
  | { readonly notice: 'panic'; readonly reason: string }
  | { readonly notice: 'vacuum'; readonly running: boolean };

/** Start data of the thread. */
export interface ThreadData {
  readonly directory: string;
  readonly upkeep?: Partial<UpkeepBounds> | undefined;
}

export interface ThreadOptions {
  /** For tests. */
  readonly upkeep?: Partial<UpkeepBounds> | undefined;
  /** Time limit of a statement in milliseconds: a running statement blocks all others. Default 60,000. */
  readonly statementMs?: number | undefined;
  /** Called once, if the thread has ended without `close`. */
  readonly ended: (error: Error) => void;
  readonly noticed: (notice: UpkeepNotice) => void;
}

/** The URL of the thread's module beside this one, both in the sources and in the build. */
export function threadModule(name: string): URL {
  return new URL(`./${name}${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url);
}

/** A folder below the configured one, which Node names by its version. */
const compiled = getCompileCacheDir();

/**
 * The thread receives neither flags nor the environment: it needs none of them, and secrets stay out. It reuses the
 * server's compile cache. It creates little garbage, so its young generation is small.
 */
export const threadOptions: WorkerOptions = {
  execArgv: [],
  env: compiled === undefined ? {} : { NODE_COMPILE_CACHE: dirname(compiled) },
  resourceLimits: { maxYoungGenerationSizeMb: 8 },
};

/** Time limits in milliseconds. Opening includes recovery, which replays the log since the last checkpoint. */
const timeLimit = { open: 300_000, statement: 60_000, close: 5000 } as const;

/** PostgreSQL's messages for a full disk. */
const fullDisk = /No space left on device|Disk quota exceeded/;

/** The error code of a database that has ended, by the reason. */
export const codeOfEnd = (reason: string): string => (fullDisk.test(reason) ? 'ENOSPC' : 'ERR_DATABASE_THREAD');

/** Tracks the pending requests of all callers, and rejects all of them when the thread ends. */
export class DatabaseThread {
  readonly #worker: Worker;
  readonly #options: ThreadOptions;
  readonly #exited: Promise<void>;
  /** Pending requests in the order in which they were sent, which is also the order of the answers. */
  readonly #waiting = new Map<number, { resolve: (answer: Answer) => void; reject: (error: Error) => void }>();
  #next = 1;
  #answered = false;
  /**
   * Whether statements have a time limit. Not during a migration or a vacuum, which may take long and never overlap.
   */
  #bounded = true;
  #late: NodeJS.Timeout | undefined;
  #ended: Error | undefined;
  #closing = false;

  constructor(directory: string, options: ThreadOptions) {
    this.#options = options;
    this.#worker = new Worker(threadModule('worker'), {
      ...threadOptions,
      workerData: { directory, upkeep: options.upkeep } satisfies ThreadData,
    });
    this.#worker.on('message', (message: Answer | Notice) => this.#hear(message));
    this.#worker.on('error', (error) => this.#end(error instanceof Error ? error.message : String(error)));
    this.#exited = new Promise((resolve) => {
      this.#worker.once('exit', () => {
        this.#end('its thread has ended');
        resolve();
        if (!this.#closing && this.#ended !== undefined) options.ended(this.#ended);
      });
    });
  }

  async query(
    sql: string,
    parameters: readonly unknown[],
  ): Promise<{ readonly rows: readonly unknown[]; readonly affected: number }> {
    if (sql === liftBound) this.#bounded = false;
    else if (sql === 'commit' || sql === 'rollback') this.#bounded = true;
    return this.#ask({ ask: 'query', sql, parameters });
  }

  /** fsync system calls so far. */
  async syncs(): Promise<number> {
    return Number((await this.#ask({ ask: 'syncs' })).rows[0]);
  }

  /**
   * Checkpoints, closes and ends the thread. A thread that does not answer is terminated, and recovers at its next
   * start.
   */
  async close(): Promise<void> {
    if (!this.#closing) {
      this.#closing = true;
      const answer = this.#ask({ ask: 'close' }).catch(() => undefined);
      await limited(timeLimit.close, answer);
      await this.#worker.terminate();
    }
    await this.#exited;
  }

  #hear(message: Answer | Notice): void {
    if ('notice' in message) {
      if (message.notice === 'panic') this.#end(message.reason);
      else if (message.notice === 'vacuum') {
        this.#bounded = !message.running;
        this.#watch();
      } else this.#options.noticed(message);
      return;
    }
    const waiting = this.#waiting.get(message.id);
    this.#waiting.delete(message.id);
    this.#answered ||= message.error === undefined;
    this.#watch();
    if (message.error === undefined) waiting?.resolve(message);
    else waiting?.reject(Object.assign(new Error(message.error.message), message.error));
  }

  #ask(request: Request extends infer R ? (R extends Request ? Omit<R, 'id'> : never) : never): Promise<Answer> {
    if (this.#ended !== undefined) return Promise.reject(this.#ended);
    const id = this.#next++;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      if (this.#waiting.size === 1) this.#watch();
      this.#worker.postMessage({ ...request, id });
    });
  }

  /** Sets the time limit of the running statement, which is the first pending one. */
  #watch(): void {
    clearTimeout(this.#late);
    if (this.#waiting.size === 0 || !this.#bounded) return;
    const bound = this.#answered ? (this.#options.statementMs ?? timeLimit.statement) : timeLimit.open;
    const running = this.#next - this.#waiting.size;
    this.#late = setTimeout(() => {
      // If this process was busy for long, the answer may already have arrived without being read.
      setImmediate(() => {
        if (!this.#waiting.has(running)) return;
        this.#end(`a statement took more than ${bound / 1000} s`);
        void this.#worker.terminate();
      });
    }, bound).unref();
  }

  #end(reason: string): void {
    if (this.#ended !== undefined) return;
    clearTimeout(this.#late);
    const ended = new Error(`the embedded database has ended: ${reason}`);
    this.#ended = Object.assign(ended, { code: codeOfEnd(reason) });
    for (const { reject } of this.#waiting.values()) reject(this.#ended);
    this.#waiting.clear();
  }
}
