// The worker's life: started on demand, given one file at a time, ended if a file is late, and started again.
import { getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { Unavailable } from '#core/kernel/errors';
import type { Answer, Message, Request } from './messages.ts';

/** In milliseconds. */
export interface ThreadTimes {
  /** For starting the worker, without grammars. */
  readonly start: number;
  /** Of the processor for one file, its grammar's loading included. The worker gives up earlier by itself. */
  readonly file: number;
  /** For one file on a busy machine, where the worker waits for the processor. */
  readonly wall: number;
  /** Without a file, the worker ends. */
  readonly idle: number;
}

export const defaultTimes: ThreadTimes = { start: 10_000, file: 3000, wall: 15_000, idle: 30_000 };

/** Files that wait, and the UTF-16 code units of their texts together. */
const queue = { files: 256, units: 32 * 1024 * 1024 } as const;
/** Files that the worker has: one that it reads, and the next one. */
const sent = 2;
/** After this part of its time, the processor time of a file is measured. Most files never reach it. */
const unmeasured = 0.2;

export interface QueuedFile {
  readonly language: string;
  readonly path: string;
  readonly grammar: string;
  readonly text: string;
}

interface Task {
  readonly file: QueuedFile;
  readonly request: Request;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

export interface ThreadOptions {
  readonly times: ThreadTimes;
  readonly worker: URL;
  /** Called if a file made the worker end. The file's answer has no definitions. */
  readonly ended: (file: QueuedFile, reason: string) => void;
}

/** A folder below the configured one, which Node names by its version. */
const compiled = getCompileCacheDir();

export class SymbolThread {
  readonly #options: ThreadOptions;
  readonly #waiting: Task[] = [];
  /** Of the worker; the first one is the one that it reads. */
  readonly #sent: Task[] = [];
  #units = 0;
  #next = 1;
  #worker: Worker | undefined;
  #state: 'none' | 'starting' | 'ready' | 'ending' | 'stopped' = 'none';
  /** Why the worker is ended, and the file that is the cause, if one is. */
  #blame: { readonly task?: Task; readonly reason: string } | undefined;
  #timer: NodeJS.Timeout | undefined;
  #wall: NodeJS.Timeout | undefined;

  constructor(options: ThreadOptions) {
    this.#options = options;
  }

  get running(): boolean {
    return this.#worker !== undefined;
  }

  /** @throws {Unavailable} if the queue is full, the worker cannot start, or the thread is stopped. */
  run(file: QueuedFile, signal?: AbortSignal): Promise<Answer> {
    const { grammar, text } = file;
    signal?.throwIfAborted();
    if (this.#state === 'stopped') throw new Unavailable('The reader of symbols is stopped');
    if (this.#waiting.length >= queue.files || this.#units + text.length > queue.units)
      throw new Unavailable('Too many files wait for the reader of symbols', { retryAfter: 5 });
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const task: Task = { file, request: { id: (this.#next += 1), grammar, text }, resolve, reject };
    const aborted = (): void => {
      const at = this.#waiting.indexOf(task);
      if (at !== -1) this.#waiting.splice(at, 1);
      reject(signal?.reason);
    };
    signal?.addEventListener('abort', aborted, { once: true });
    this.#units += text.length;
    this.#waiting.push(task);
    this.#send();
    return promise.finally(() => {
      this.#units -= text.length;
      signal?.removeEventListener('abort', aborted);
    });
  }

  async stop(): Promise<void> {
    this.#state = 'stopped';
    this.#quiet();
    for (const { reject } of [...this.#sent.splice(0), ...this.#waiting.splice(0)])
      reject(new Unavailable('The reader of symbols is stopped'));
    await this.#worker?.terminate();
  }

  #send(): void {
    if (this.#state === 'none' && this.#waiting.length > 0) this.#start();
    if (this.#state !== 'ready') return;
    while (this.#sent.length < sent) {
      const task = this.#waiting.shift();
      if (task === undefined) break;
      this.#worker?.postMessage(task.request);
      if (this.#sent.push(task) === 1) this.#watch(task);
    }
    if (this.#sent.length > 0) return;
    this.#quiet();
    this.#timer = setTimeout(() => this.#end({ reason: 'idle' }), this.#options.times.idle).unref();
  }

  /** The worker receives neither flags nor the environment: it needs none of them, and secrets stay out. */
  #start(): void {
    const worker = new Worker(this.#options.worker, {
      execArgv: [],
      env: compiled === undefined ? {} : { NODE_COMPILE_CACHE: dirname(compiled) },
      resourceLimits: { maxOldGenerationSizeMb: 192, maxYoungGenerationSizeMb: 16 },
    });
    worker.unref();
    this.#quiet();
    this.#worker = worker;
    this.#state = 'starting';
    this.#timer = setTimeout(() => this.#end({ reason: 'it did not start in time' }), this.#options.times.start);
    let failure = 'it has ended';
    worker.on('message', (message: Message) => this.#heard(message));
    worker.on('error', (error) => {
      failure = error instanceof Error ? error.message : String(error);
    });
    // All messages have arrived before this event, so the first file of those sent is the one being read.
    worker.on('exit', () => this.#exited(failure));
  }

  #heard(message: Message): void {
    if (message === 'ready') {
      if (this.#state !== 'starting') return;
      this.#state = 'ready';
      this.#quiet();
    } else {
      const [first] = this.#sent;
      if (first?.request.id !== message.id) return;
      if (message.failed !== undefined) {
        this.#end({ task: first, reason: message.failed });
        return;
      }
      this.#sent.shift();
      first.resolve(message);
      if (message.full === true) {
        this.#end({ reason: 'it holds much memory' });
        return;
      }
      const [next] = this.#sent;
      if (next !== undefined) this.#watch(next);
    }
    this.#send();
  }

  #end(blame: { readonly task?: Task; readonly reason: string }): void {
    if (this.#state === 'stopped' || this.#state === 'ending') return;
    this.#blame = blame;
    const wasStarting = this.#state === 'starting';
    if (!wasStarting) this.#state = 'ending';
    this.#quiet();
    void this.#worker?.terminate();
  }

  #exited(failure: string): void {
    this.#quiet();
    this.#worker = undefined;
    const { reason, task } = this.#blame ?? { reason: failure, task: this.#sent[0] };
    this.#blame = undefined;
    if (this.#state === 'stopped') return;
    const hadStarted = this.#state !== 'starting';
    this.#state = 'none';
    if (!hadStarted) {
      for (const { reject } of this.#waiting.splice(0))
        reject(new Unavailable(`The reader of symbols cannot start: ${reason}`, { retryAfter: 5 }));
      return;
    }
    // Its answer may have arrived after the decision to end the worker.
    if (task !== undefined && this.#sent[0] === task) {
      this.#sent.shift();
      task.resolve({ id: task.request.id, definitions: [] });
      this.#options.ended(task.file, reason);
    }
    this.#waiting.unshift(...this.#sent.splice(0));
    this.#send();
  }

  /** Ends the worker if a file takes longer than it may. */
  #watch(task: Task): void {
    this.#quiet();
    const { file, wall } = this.#options.times;
    const end = (ms: number): void => this.#end({ task, reason: `the file took longer than ${String(ms)} ms` });
    const processorTime = async (): Promise<number> => {
      const { user = 0, system = 0 } = (await this.#worker?.cpuUsage()) ?? {};
      return (user + system) / 1000;
    };
    const measured = file * (1 - unmeasured);
    const measure = async (): Promise<void> => {
      const before = await processorTime();
      const look = async (): Promise<void> => {
        const left = measured - ((await processorTime()) - before);
        if (this.#sent[0] !== task) return;
        if (left <= 0) end(file);
        else lookIn(left);
      };
      // The worker may end meanwhile; then there is nothing to measure.
      const lookIn = (ms: number): void => {
        if (this.#sent[0] === task) this.#timer = setTimeout(() => void look().catch(() => undefined), ms);
      };
      lookIn(measured);
    };
    this.#timer = setTimeout(() => {
      this.#wall = setTimeout(() => end(wall), wall - file * unmeasured);
      void measure().catch(() => undefined);
    }, file * unmeasured);
  }

  #quiet(): void {
    clearTimeout(this.#timer);
    clearTimeout(this.#wall);
  }
}
