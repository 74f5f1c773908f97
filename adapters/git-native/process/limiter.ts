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

  /** The length of the queue. */
  get waiting(): number {
    return this.#fair.waiting;
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
