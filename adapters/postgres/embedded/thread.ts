// The client of the embedded database's worker thread: requests and answers by message, and a bound on how long a
// statement may take.
import { getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';
import { Worker, type WorkerOptions } from 'node:worker_threads';
import type { DriverError } from '../errors.ts';
import { liftBound } from '../stalled-connections.ts';
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

/** What of the thread's upkeep somebody should know. `free` is in MiB. */
export type UpkeepNotice =
  | { readonly notice: 'upkeep failed'; readonly reason: string }
  | { readonly notice: 'space'; readonly refusing: boolean; readonly free: number };

/** What the thread tells unasked. */
export type Notice =
  | UpkeepNotice
  | { readonly notice: 'panic'; readonly reason: string }
  | { readonly notice: 'vacuum'; readonly running: boolean };

/** What the thread is started with. */
export interface ThreadData {
  readonly directory: string;
  readonly upkeep?: Partial<UpkeepBounds> | undefined;
}

export interface ThreadOptions {
  /** For tests. */
  readonly upkeep?: Partial<UpkeepBounds> | undefined;
  /** The longest a statement may take, in milliseconds: it keeps all others waiting. Default 60,000. */
  readonly statementMs?: number | undefined;
  /** Told once when the thread has ended unasked. */
  readonly ended: (error: Error) => void;
  readonly noticed: (notice: UpkeepNotice) => void;
}

/** The thread's module beside this one, in the sources and in what is built from them alike. */
export function threadModule(name: string): URL {
  return new URL(`./${name}${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url);
}

/** In a folder that Node names by its version. */
const compiled = getCompileCacheDir();

/**
 * Neither flags nor the environment go into the thread: it needs none, and secrets stay out. What the server has
 * compiled need not be compiled again. It makes little garbage, so its heap stays small.
 */
export const threadOptions: WorkerOptions = {
  execArgv: [],
  env: compiled === undefined ? {} : { NODE_COMPILE_CACHE: dirname(compiled) },
  resourceLimits: { maxYoungGenerationSizeMb: 8 },
};

/** Milliseconds. A recovery replays what of the log no checkpoint covers. */
const patience = { open: 300_000, statement: 60_000, close: 5000 } as const;

/** PostgreSQL's words for a disk that is full. */
const fullDisk = /No space left on device|Disk quota exceeded/;

/** Of a database that is not there, by why that is. */
export const codeOfEnd = (reason: string): string => (fullDisk.test(reason) ? 'ENOSPC' : 'ERR_DATABASE_THREAD');

/** Every caller's open questions, and the end of the thread as an error to all of them. */
export class DatabaseThread {
  readonly #worker: Worker;
  readonly #options: ThreadOptions;
  readonly #exited: Promise<void>;
  /** In the order they were asked, which is that of the answers. */
  readonly #waiting = new Map<number, { resolve: (answer: Answer) => void; reject: (error: Error) => void }>();
  #next = 1;
  #answered = false;
  /** False while a migration or a vacuum runs, which may take long. One never begins while the other lasts. */
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

  /** Checkpoints, closes and ends the thread; one that does not answer is cut off, and recovers at its next start. */
  async close(): Promise<void> {
    if (!this.#closing) {
      this.#closing = true;
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise((resolve) => {
        timer = setTimeout(resolve, patience.close);
      });
      if (this.#ended === undefined) await Promise.race([this.#ask({ ask: 'close' }).catch(() => undefined), late]);
      clearTimeout(timer);
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
    const id = this.#next;
    this.#next += 1;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      if (this.#waiting.size === 1) this.#watch();
      this.#worker.postMessage({ ...request, id });
    });
  }

  /** Bounds the statement that is running now, the first of those that wait. */
  #watch(): void {
    clearTimeout(this.#late);
    if (this.#waiting.size === 0 || !this.#bounded) return;
    const bound = this.#answered ? (this.#options.statementMs ?? patience.statement) : patience.open;
    const running = this.#next - this.#waiting.size;
    this.#late = setTimeout(() => {
      // After a long stretch of work in this process the answer may be here already, unread.
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
    this.#ended = Object.assign(new Error(`the embedded database has ended: ${reason}`), {
      code: codeOfEnd(reason),
    });
    for (const { reject } of this.#waiting.values()) reject(this.#ended);
    this.#waiting.clear();
  }
}
