// A thread for work that may take too long: started on demand, ended if a task is late, and started again.
import { getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Message, Rendered, Request, Task } from './tasks.ts';

/** In milliseconds. */
export interface ThreadTimes {
  /** For loading the libraries. */
  readonly start: number;
  /** Of the processor, for one text. */
  readonly task: number;
  /** For one text on a busy machine, where the thread waits for the processor. */
  readonly wall: number;
  /** Without a task, the thread ends. */
  readonly idle: number;
}

export const defaultTimes: ThreadTimes = { start: 10_000, task: 500, wall: 2000, idle: 300_000 };

/** The text itself is to blame, so that it will fail again. */
export class HostileText extends Error {}

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

  /**
   * @throws {HostileText} if the task fails or uses the processor for too long.
   * @throws {Error} if it is late for another reason. A late task ends the thread.
   */
  async run(task: Task): Promise<Rendered> {
    clearTimeout(this.#idle);
    const starting = (this.#worker ??= started(this.#times.start));
    let message: Message;
    try {
      message = await this.#asked(await starting, { id: (this.#next += 1), task });
    } catch (error) {
      await this.end();
      throw error;
    }
    this.#idle = setTimeout(() => void this.end(), this.#times.idle).unref();
    if (message === 'ready' || message.result === undefined)
      throw new HostileText(message === 'ready' ? 'The thread started twice' : message.error);
    return message.result;
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

  /** The answer, unless the thread has used the processor for as long as a text may. */
  async #asked(worker: Worker, request: Request): Promise<Message> {
    const { promise: over, reject } = Promise.withResolvers<never>();
    const processorTime = async (): Promise<number> => {
      const { user, system } = await worker.cpuUsage();
      return (user + system) / 1000;
    };
    const before = processorTime();
    let timer: NodeJS.Timeout | undefined;
    const lookIn = (ms: number): void => {
      timer = setTimeout(() => void look().catch(reject), ms);
    };
    const look = async (): Promise<void> => {
      const left = this.#times.task - ((await processorTime()) - (await before));
      if (left <= 0) throw new HostileText(`The text took longer than ${String(this.#times.task)} ms`);
      lookIn(left);
    };
    lookIn(this.#times.task);
    const answer = answered(worker, this.#times.wall, (found) => found !== 'ready' && found.id === request.id, request);
    // Whichever comes first, the others may fail later.
    for (const other of [before, over, answer]) other.catch(() => undefined);
    try {
      return await Promise.race([answer, over]);
    } finally {
      clearTimeout(timer);
    }
  }
}

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
  const timer = setTimeout(() => reject(new Error(`The thread was silent for ${String(ms)} ms`)), ms);
  worker.on('message', heard).on('error', ended).on('exit', ended);
  if (request !== undefined) worker.postMessage(request);
  return promise.finally(() => {
    clearTimeout(timer);
    worker.off('message', heard).off('exit', ended).off('error', ended);
  });
}
