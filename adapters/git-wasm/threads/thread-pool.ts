// Runs tasks in worker threads: short reads in one thread, computations and transfers in others, so that neither the
// event loop nor a short read waits for a long one. Threads are shared fairly between callers.
import { Worker } from 'node:worker_threads';
import { Unavailable } from '#core/kernel/errors';
import { FairLimiter } from '#core/kernel/limits/fair-limiter';
import { received, type SentError } from './errors.ts';
import type { Tasks } from './registry.ts';
import type { TaskRequest } from './request.ts';
import { orAborted } from '#adapters/git-common/waiting/until-aborted';

/** `read`: takes milliseconds. `compute`: may take seconds. `transfer`: packs of clones and pushes, and large files. */
export type TaskKind = 'read' | 'compute' | 'transfer';

export interface ThreadLimits {
  readonly computeThreads: number;
  /** Tasks of each kind that wait for a thread. One caller may have a quarter of them. */
  readonly queue: number;
  readonly computeSeconds: number;
  readonly transferSeconds: number;
  /** Megabytes of the JavaScript heap of one thread. */
  readonly heapMegabytes: number;
}

type Result<K extends keyof Tasks> = Awaited<ReturnType<Tasks[K]>>;

interface Job {
  readonly request: TaskRequest;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
  /** Releases a result that is not wanted any more. */
  readonly drop: (value: unknown) => void;
  /** Gives the thread to the next task. */
  readonly leave: () => void;
  isAbandoned: boolean;
  timer?: NodeJS.Timeout;
}

interface Thread {
  readonly worker: Worker;
  job: Job | undefined;
}

/** The threads of one kind of tasks. A task that has a slot finds a free thread. */
interface Lane {
  readonly threads: Thread[];
  readonly limiter: FairLimiter;
}

/** Milliseconds that a task has to notice its deadline before its thread is ended. */
const graceMs = 10_000;
/** Megabytes of the heap of a thread for short-lived objects. */
const youngMegabytes = 24;
/** Seconds after which clients should retry. */
const again = 10;

export interface TaskOptions {
  readonly kind: TaskKind;
  readonly signal?: AbortSignal | undefined;
  readonly quarantine?: string | undefined;
  readonly deadlineMs?: number;
}

interface Place {
  readonly directory: string;
  readonly generation: number;
}

export class ThreadPool {
  readonly #limits: ThreadLimits;
  readonly #caller: () => string | undefined;
  readonly #lanes: Readonly<Record<TaskKind, Lane>>;
  #ids = 0;
  #closed = false;

  /** @param caller the caller key of the current work; undefined for the server's own work. */
  constructor(limits: ThreadLimits, caller: () => string | undefined = () => undefined) {
    this.#limits = limits;
    this.#caller = caller;
    const lane = (slots: number): Lane => ({ threads: [], limiter: limiterOf(slots, limits.queue) });
    this.#lanes = { read: lane(1), compute: lane(limits.computeThreads), transfer: lane(limits.computeThreads) };
  }

  /**
   * Runs a task on the repository in this directory.
   * @throws what the task throws; the signal's reason; {Unavailable} if too many tasks wait or the deadline passes.
   */
  async run<K extends keyof Tasks>(
    task: K,
    { directory, generation }: Place,
    args: Parameters<Tasks[K]>[1],
    { kind, signal, quarantine, deadlineMs }: TaskOptions,
    drop: (value: Result<K>) => void = () => undefined,
  ): Promise<Result<K>> {
    const lane = this.#lanes[kind];
    const leave = await lane.limiter.acquire(this.#caller(), signal);
    if (this.#closed) {
      leave();
      throw stopping();
    }
    const seconds = kind === 'transfer' ? this.#limits.transferSeconds : this.#limits.computeSeconds;
    const aborted = new Int32Array(new SharedArrayBuffer(4));
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const job: Job = {
      request: {
        id: (this.#ids += 1),
        task,
        args,
        repository: { directory, generation, ...(quarantine !== undefined && { quarantine }) },
        aborted,
        deadlineMs: deadlineMs ?? seconds * 1000,
      },
      resolve,
      reject,
      drop: drop as (value: unknown) => void,
      leave,
      isAbandoned: false,
    };
    const abandon = (): void => {
      aborted[0] = 1;
      job.isAbandoned = true;
    };
    signal?.addEventListener('abort', abandon, { once: true });
    promise.catch(() => undefined);
    this.#give(lane, job);
    try {
      return (await orAborted(promise, signal)) as Result<K>;
    } finally {
      signal?.removeEventListener('abort', abandon);
    }
  }

  /** Closes the files that the threads keep open of a repository, because it or objects of it were removed. */
  forget(directory: string): void {
    for (const { threads } of Object.values(this.#lanes))
      for (const { worker } of threads) worker.postMessage({ forget: directory });
  }

  /** Ends the threads. Tasks that run are rejected. */
  async close(): Promise<void> {
    this.#closed = true;
    const lanes = Object.values(this.#lanes);
    await Promise.all(lanes.flatMap(({ threads }) => threads.splice(0).map(({ worker }) => worker.terminate())));
  }

  #give(lane: Lane, job: Job): void {
    const thread = lane.threads.find((each) => each.job === undefined) ?? this.#start(lane);
    thread.job = job;
    const { worker } = thread;
    job.timer = setTimeout(() => void worker.terminate(), job.request.deadlineMs + graceMs).unref();
    worker.ref();
    worker.postMessage(job.request);
  }

  #start(lane: Lane): Thread {
    const module = new URL(`../worker/worker${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url);
    const worker = new Worker(module, {
      // Files that a task opened for this thread stay open.
      trackUnmanagedFds: false,
      resourceLimits: { maxOldGenerationSizeMb: this.#limits.heapMegabytes, maxYoungGenerationSizeMb: youngMegabytes },
    });
    const thread: Thread = { worker, job: undefined };
    worker.on('message', ({ value, error }: { readonly value?: unknown; readonly error?: SentError }) => {
      const job = finish(thread);
      if (error !== undefined) job?.reject(received(error));
      else if (job?.isAbandoned === true) job.drop(value);
      else job?.resolve(value);
    });
    let failure: unknown;
    worker.on('error', (error) => {
      failure = error;
    });
    worker.on('exit', () => {
      const place = lane.threads.indexOf(thread);
      if (place >= 0) lane.threads.splice(place, 1);
      finish(thread)?.reject(this.#closed ? stopping() : ended(failure));
    });
    lane.threads.push(thread);
    return thread;
  }
}

function finish(thread: Thread): Job | undefined {
  const { job, worker } = thread;
  thread.job = undefined;
  clearTimeout(job?.timer);
  worker.unref();
  job?.leave();
  return job;
}

const limiterOf = (slots: number, queue: number): FairLimiter =>
  new FairLimiter({
    slots,
    queue,
    share: { slots, queue: Math.ceil(queue / 4) },
    now: () => performance.now(),
    refusal: () =>
      new Unavailable('Too many requests wait for git', {
        detail: `Try again in ${again} seconds`,
        retryAfter: again,
      }),
  });

const stopping = (): Unavailable => new Unavailable('The git back end is stopping');
const ended = (cause: unknown): Unavailable =>
  new Unavailable('A computation in git took too much time or memory', {
    detail: 'Try again later, or ask for less',
    cause,
  });
