// The concurrency limiter of git operations: finds the caller, the caller's share, and the error when a queue is full.
import { Unavailable } from '#core/kernel/errors';
import { FairLimiter } from '#core/kernel/limits/fair-limiter';

export interface LimiterOptions {
  readonly slots: number;
  /** How many may be queued in total before the next one is rejected. */
  readonly queue: number;
  /**
   * The caller key for which a slot is requested. A caller may use as many slots as it leaves free (half of them alone,
   * a third beside another caller) and a quarter of the queue. Undefined for the server's own work, which has no share
   * but is queued too. Default: all work is the server's own.
   */
  readonly caller?: (() => string | undefined) | undefined;
}

/** Seconds after which clients should retry. */
const again = 10;

export class Limiter {
  readonly #caller: () => string | undefined;
  readonly #fair: FairLimiter;

  constructor(name: string, { slots, queue, caller = () => undefined }: LimiterOptions) {
    const share = { slots: 'as-left', queue: Math.ceil(queue / 4) } as const;
    this.#caller = caller;
    this.#fair = new FairLimiter({
      slots,
      queue,
      share,
      refusal: (callerKey) => (callerKey === undefined ? tooMany(name) : tooManyOf(callerKey, name, share.queue)),
    });
  }

  /**
   * Waits for a slot.
   * @returns a function that releases it; calling it again has no effect.
   * @throws {Unavailable} when the queue, or the caller's share of it, is full; the signal's reason when it is aborted
   * first.
   */
  async acquire(signal?: AbortSignal): Promise<() => void> {
    return await this.#fair.acquire(this.#caller(), signal);
  }

  get waiting(): number {
    return this.#fair.waiting;
  }

  /** Starts a process that keeps the slot until it has ended. */
  async start<P extends { readonly ended: Promise<unknown> }>(
    start: () => Promise<P>,
    signal?: AbortSignal,
  ): Promise<P> {
    const release = await this.acquire(signal);
    try {
      const process = await start();
      void process.ended.then(release);
      return process;
    } catch (error) {
      release();
      throw error;
    }
  }

  async run<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    return await this.#fair.run(work, this.#caller(), signal);
  }
}

const tooMany = (name: string): Unavailable =>
  new Unavailable(`The server has too many git ${name} waiting`, {
    detail: 'Try again in a minute',
    retryAfter: again,
  });

const tooManyOf = (callerKey: string, name: string, most: number): Unavailable =>
  new Unavailable(
    `Too many git ${name} of ${callerKey.startsWith('user:') ? 'your account' : 'your address'} are waiting`,
    {
      detail: `At most ${most} of one caller wait at a time; try again in ${again} seconds`,
      retryAfter: again,
    },
  );

/** Milliseconds for which a slot is kept while others are queued. */
const turnMs = 1000;

/** The slot of long-running work, which is passed on after some time if others are queued. */
export class HeldSlot {
  readonly #limiter: Limiter;
  #release: () => void;
  #until = performance.now() + turnMs;

  /** @param release of the slot that the work holds. */
  constructor(limiter: Limiter, release: () => void) {
    this.#limiter = limiter;
    this.#release = release;
  }

  /** Whether the slot should be passed on now. */
  get over(): boolean {
    return performance.now() > this.#until && this.#limiter.waiting > 0;
  }

  /**
   * Releases the slot and queues for another one.
   * @throws {Unavailable} if the queue is full.
   */
  async pass(): Promise<void> {
    this.#release();
    this.#release = await this.#limiter.acquire();
    this.#until = performance.now() + turnMs;
  }

  end(): void {
    this.#release();
  }
}
