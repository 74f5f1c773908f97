// The client of the embedded database's worker thread: requests and answers by message.
import { Worker, type WorkerOptions } from 'node:worker_threads';
import type { DriverError } from '../errors.ts';

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

/** The thread's module beside this one, in the sources and in what is built from them alike. */
export function threadModule(name: string): URL {
  return new URL(`./${name}${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url);
}

/**
 * Neither flags nor the environment go into the thread: it needs none, and secrets stay out. It makes little garbage,
 * so its heap stays small.
 */
export const threadOptions: WorkerOptions = { execArgv: [], env: {}, resourceLimits: { maxYoungGenerationSizeMb: 8 } };

/** Every caller's open questions, and the end of the thread as an error to all of them. */
export class DatabaseThread {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, { resolve: (answer: Answer) => void; reject: (error: Error) => void }>();
  #next = 1;
  #ended: Error | undefined;
  #closing = false;

  /** @param failed is told once when the thread ends unasked. */
  constructor(directory: string, failed: (error: Error) => void) {
    this.#worker = new Worker(threadModule('worker'), { ...threadOptions, workerData: { directory } });
    this.#worker.on('message', (answer: Answer) => {
      const waiting = this.#waiting.get(answer.id);
      this.#waiting.delete(answer.id);
      if (answer.error === undefined) waiting?.resolve(answer);
      else waiting?.reject(Object.assign(new Error(answer.error.message), answer.error));
    });
    const end = (reason: string) => {
      if (this.#ended !== undefined) return;
      this.#ended = Object.assign(new Error(reason), { code: 'ERR_DATABASE_THREAD' });
      for (const { reject } of this.#waiting.values()) reject(this.#ended);
      this.#waiting.clear();
      if (!this.#closing) failed(this.#ended);
    };
    this.#worker.on('error', (error) =>
      end(`the embedded database failed: ${error instanceof Error ? error.message : String(error)}`),
    );
    this.#worker.on('exit', () => end('the embedded database has ended'));
  }

  async query(
    sql: string,
    parameters: readonly unknown[],
  ): Promise<{ readonly rows: readonly unknown[]; readonly affected: number }> {
    return this.#ask({ ask: 'query', sql, parameters });
  }

  /** fsync system calls so far. */
  async syncs(): Promise<number> {
    return Number((await this.#ask({ ask: 'syncs' })).rows[0]);
  }

  /** Checkpoints, closes and ends the thread. */
  async close(): Promise<void> {
    if (this.#closing) return;
    this.#closing = true;
    const exited = new Promise<void>((resolve) => {
      this.#worker.once('exit', () => resolve());
    });
    if (this.#ended === undefined) await this.#ask({ ask: 'close' }).catch(() => undefined);
    await this.#worker.terminate();
    if (this.#ended === undefined) await exited;
  }

  #ask(request: Request extends infer R ? (R extends Request ? Omit<R, 'id'> : never) : never): Promise<Answer> {
    if (this.#ended !== undefined) return Promise.reject(this.#ended);
    const id = this.#next;
    this.#next += 1;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#worker.postMessage({ ...request, id });
    });
  }
}
