// A thread for work that may take too long: started on demand, ended if a task is late, and started again.
import { getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Message, Rendered, Request, Task } from './tasks.ts';

/** In milliseconds. */
export interface ThreadTimes {
  /** For loading the libraries. */
  readonly start: number;
  /** For one text. */
  readonly task: number;
  /** Without a task, the thread ends. */
  readonly idle: number;
}

export const defaultTimes: ThreadTimes = { start: 10_000, task: 500, idle: 300_000 };

/** A folder below the configured one, which Node names by its version. */
const compiled = getCompileCacheDir();

/** Runs one task at a time. */
export class MarkupThread {
  readonly #times: ThreadTimes;
  #worker: Promise<Worker> | undefined;
  #idle: NodeJS.Timeout | undefined;
  #next = 1;

  constructor(times: ThreadTimes = defaultTimes) {
    this.#times = times;
  }

  get running(): boolean {
    return this.#worker !== undefined;
  }

  /** @throws {Error} if the task fails, or is late; the thread is then ended. */
  async run(task: Task): Promise<Rendered> {
    clearTimeout(this.#idle);
    const starting = (this.#worker ??= started(this.#times.start));
    try {
      const worker = await starting;
      const id = (this.#next += 1);
      const message = await answered(worker, this.#times.task, (answer) => answer !== 'ready' && answer.id === id, {
        id,
        task,
      });
      this.#idle = setTimeout(() => void this.end(), this.#times.idle).unref();
      if (message === 'ready' || message.result === undefined)
        throw new Failed(message === 'ready' ? '' : (message.error ?? ''));
      return message.result;
    } catch (error) {
      if (!(error instanceof Failed)) await this.end();
      throw error;
    }
  }

  async end(): Promise<void> {
    clearTimeout(this.#idle);
    const ending = this.#worker;
    this.#worker = undefined;
    await ending?.then(
      (worker) => worker.terminate(),
      () => undefined,
    );
  }
}

/** A task that failed, while the thread can go on. */
class Failed extends Error {}

/**
 * The thread receives neither flags nor the environment: it needs none of them, and secrets stay out. It reuses the
 * server's compile cache.
 */
async function started(ms: number): Promise<Worker> {
  const worker = new Worker(new URL('./worker.ts', import.meta.url), {
    execArgv: [],
    env: compiled === undefined ? {} : { NODE_COMPILE_CACHE: dirname(compiled) },
    resourceLimits: { maxOldGenerationSizeMb: 384, maxYoungGenerationSizeMb: 32 },
  });
  worker.unref();
  try {
    await answered(worker, ms, (answer) => answer === 'ready');
  } catch (error) {
    await worker.terminate();
    throw error;
  }
  // Without a listener, an error between two tasks would end the process. The next task finds the thread ended.
  worker.on('error', () => undefined);
  return worker;
}

/** The first matching message. @throws {Error} if it is late, or if the thread ends. */
function answered(
  worker: Worker,
  ms: number,
  matches: (message: Message) => boolean,
  request?: Request,
): Promise<Message> {
  const { promise, resolve, reject } = Promise.withResolvers<Message>();
  const heard = (message: Message): void => {
    if (matches(message)) resolve(message);
  };
  const ended = (): void => reject(new Error('The thread has ended'));
  const timer = setTimeout(() => reject(new Error(`The text took longer than ${String(ms)} ms`)), ms);
  worker.on('message', heard).on('error', ended).on('exit', ended);
  if (request !== undefined) worker.postMessage(request);
  return promise.finally(() => {
    clearTimeout(timer);
    worker.off('message', heard).off('exit', ended).off('error', ended);
  });
}
