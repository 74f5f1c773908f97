// Fair queuing of requests while the event loop is busy and several callers are active: of one caller, one change and
// two reads run at a time, so that a caller that sends many requests delays only itself.
import { performance } from 'node:perf_hooks';
import { FairLimiter } from '#core/kernel/limits/fair-limiter';

/** The kind of a request. A change may wait for another change of its caller anyway; reads are frequent. */
export type Kind = 'change' | 'read';

/** All in milliseconds. */
export interface RequestQueueTimes {
  /**
   * The slot is released after this time even if the request is still running: it may be waiting for git, or for its
   * own body.
   */
  readonly turn: Readonly<Record<Kind, number>>;
  /** After waiting this long a request starts without a slot; the limits of the called component still apply. */
  readonly timeLimit: number;
  /** A caller is alone if no other caller has made a request for this long. Its requests then need no slot. */
  readonly alone: number;
}

const defaults: RequestQueueTimes = { turn: { change: 250, read: 100 }, timeLimit: 2000, alone: 1000 };
/** Slots of one caller. */
const slots: Readonly<Record<Kind, number>> = { change: 1, read: 2 };
const begin = (): void => undefined;

export class RequestQueues {
  readonly #busy: () => boolean;
  readonly #turns: RequestQueueTimes;
  readonly #limiters: Readonly<Record<Kind, FairLimiter>> = { change: limiter('change'), read: limiter('read') };
  #latest: string | undefined;
  #latestAt = Number.NEGATIVE_INFINITY;
  /** When a caller other than the latest one last made a request. */
  #otherAt = Number.NEGATIVE_INFINITY;

  constructor(busy = loopIsBusy(), turns = defaults) {
    this.#busy = busy;
    this.#turns = turns;
  }

  /** @param kind undefined for requests that have a separate concurrency limit. */
  run<T>(caller: string, kind: Kind | undefined, work: () => Promise<T>): Promise<T> {
    this.#asks(caller);
    const alone = this.#latestAt - this.#otherAt > this.#turns.alone;
    return kind === undefined || alone || !this.#busy() ? work() : this.#inTurn(caller, kind, work);
  }

  async #inTurn<T>(caller: string, kind: Kind, work: () => Promise<T>): Promise<T> {
    const timeLimit = AbortSignal.timeout(this.#turns.timeLimit);
    const end = await this.#limiters[kind].acquire(caller, timeLimit).catch(() => begin);
    const timer = setTimeout(end, this.#turns.turn[kind]);
    try {
      return await work();
    } finally {
      clearTimeout(timer);
      end();
    }
  }

  #asks(caller: string): void {
    if (this.#latest !== caller) this.#otherAt = this.#latestAt;
    this.#latest = caller;
    this.#latestAt = performance.now();
  }
}

const limiter = (kind: Kind): FairLimiter =>
  new FairLimiter({
    slots: Number.POSITIVE_INFINITY,
    queue: 10_000,
    share: { slots: slots[kind], queue: 1000 },
    refusal: () => new Error('too many wait'),
  });

const windowMs = 50;
const busyShare = 0.9;

/** Returns a function that reports whether the event loop was busy for most of the latest window. */
function loopIsBusy(): () => boolean {
  let since = performance.eventLoopUtilization();
  let lookedAt = performance.now();
  let busy = false;
  return () => {
    if (performance.now() - lookedAt >= windowMs) {
      const now = performance.eventLoopUtilization();
      busy = performance.eventLoopUtilization(now, since).utilization > busyShare;
      since = now;
      lookedAt = performance.now();
    }
    return busy;
  };
}
