// While the event loop is busy and several ask, the requests of one caller begin in turn, a change when the one before
// it has ended and few reads at a time: whoever sends many at once waits behind themselves, and what others ask for
// finds its turns of the loop.
import { performance } from 'node:perf_hooks';
import { FairLimiter } from '#core/kernel/fair-limiter';

/** What is asked for: a change may wait for another of its caller's anyhow; reads are many. */
export type Kind = 'change' | 'read';

/** Milliseconds. */
export interface RequestTurns {
  /** After so many the caller's next begins though this one has not ended: it may wait for git, or for its own body. */
  readonly turn: Readonly<Record<Kind, number>>;
  /** Whoever has waited for so many begins out of turn: what is too much is refused where it would be done. */
  readonly patience: number;
  /** So long after another has asked for something, a caller is alone: then its requests keep nobody waiting. */
  readonly alone: number;
}

const defaults: RequestTurns = { turn: { change: 250, read: 100 }, patience: 2000, alone: 1000 };
/** Of one caller, under way at once. */
const places: Readonly<Record<Kind, number>> = { change: 1, read: 2 };
const begin = (): void => undefined;

export class RequestsInTurn {
  readonly #busy: () => boolean;
  readonly #turns: RequestTurns;
  readonly #limiters: Readonly<Record<Kind, FairLimiter>> = { change: limiter('change'), read: limiter('read') };
  #latest: string | undefined;
  #latestAt = Number.NEGATIVE_INFINITY;
  /** When somebody else than the latest caller asked for something. */
  #otherAt = Number.NEGATIVE_INFINITY;

  constructor(busy = loopIsBusy(), turns = defaults) {
    this.#busy = busy;
    this.#turns = turns;
  }

  /** @param kind undefined for what has places of its own. */
  run<T>(caller: string, kind: Kind | undefined, work: () => Promise<T>): Promise<T> {
    this.#asks(caller);
    const alone = this.#latestAt - this.#otherAt > this.#turns.alone;
    return kind === undefined || alone || !this.#busy() ? work() : this.#inTurn(caller, kind, work);
  }

  async #inTurn<T>(caller: string, kind: Kind, work: () => Promise<T>): Promise<T> {
    const patience = AbortSignal.timeout(this.#turns.patience);
    const end = await this.#limiters[kind].acquire(caller, patience).catch(() => begin);
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
    places: Number.POSITIVE_INFINITY,
    queue: 10_000,
    share: { places: places[kind], queue: 1000 },
    refusal: () => new Error('too many wait'),
  });

const windowMs = 50;
const busyShare = 0.9;

/** Tells whether the event loop has worked for most of the last moments. */
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
