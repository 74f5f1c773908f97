// Fair queuing for the connections of the database: a burst of one caller delays only that caller, and no caller gets
// all connections.
import { Unavailable } from '#core/kernel/errors';
import { FairLimiter } from '#core/kernel/limits/fair-limiter';

export interface SlotsOptions {
  /** Connections in total, and for one caller. */
  readonly connections: number;
  readonly share: number;
  /** Time limit of waiting for a connection, in milliseconds. */
  readonly timeLimit: number;
  /**
   * Returns the caller key of the current work; undefined for the server's own. Default: all work is the server's own.
   */
  readonly caller?: (() => string | undefined) | undefined;
  /** Returns milliseconds. Default: the monotonic clock. */
  readonly now?: () => number;
}

/** Requests that may be queued in total, and for one caller. */
const queue = { all: 20_000, caller: 5000 } as const;

/** Checks per time limit, so that a request is rejected at most a tenth of it too late. */
const looks = 10;

export class ConnectionSlots {
  readonly #limiter: FairLimiter;
  readonly #options: SlotsOptions;
  /** One timer for all queued requests: one for each would cost more than most queries. */
  #watch: NodeJS.Timeout | undefined;

  constructor(options: SlotsOptions) {
    this.#options = options;
    this.#limiter = new FairLimiter({
      slots: options.connections,
      queue: queue.all,
      share: { slots: options.share, queue: queue.caller },
      now: options.now ?? (() => performance.now()),
      refusal: (callerKey) => busy(callerKey === undefined ? '' : ' of yours'),
    });
  }

  /**
   * Waits for a slot; the returned function releases it. @throws {Unavailable} if the queue is full, or after the time
   * limit.
   */
  async take(): Promise<() => void> {
    const callerKey = this.#options.caller?.();
    const free = this.#limiter.attempt(callerKey);
    if (free !== undefined) return this.#ending(free);
    this.#watch ??= setInterval(() => this.#look(), this.#options.timeLimit / looks).unref();
    return this.#ending(await this.#limiter.acquire(callerKey));
  }

  /**
   * If other requests are queued, the slot is released on the next tick: a caller that asks for its next slot at once
   * is then served by its share, instead of waiting for another caller's transaction each time.
   */
  #ending(free: () => void): () => void {
    return () => {
      if (this.#limiter.waiting === 0) free();
      else process.nextTick(free);
    };
  }

  #look(): void {
    this.#limiter.refuseBefore(performance.now() - this.#options.timeLimit, () => busy(''));
    if (this.#limiter.waiting > 0) return;
    clearInterval(this.#watch);
    this.#watch = undefined;
  }
}

const busy = (ofCaller: string): Unavailable =>
  new Unavailable(`Too many requests${ofCaller} wait for the database`, {
    detail: 'Try again in a few seconds',
    retryAfter: 5,
  });
