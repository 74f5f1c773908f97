// While the event loop is busy and several ask, the changes of one caller begin one after the other: whoever sends many
// at once waits behind themselves, and what others ask for finds its turns of the loop.
import { performance } from 'node:perf_hooks';
import { FairLimiter } from '#core/kernel/fair-limiter';

/** Milliseconds. */
export interface ChangeTurns {
  /** After so many the caller's next begins though this one has not ended: it may wait for git, or for its own body. */
  readonly turn: number;
  /** Whoever has waited for so many begins out of turn: what is too much is refused where it would be done. */
  readonly patience: number;
  /** So long after another has asked for something, a caller is alone: then its changes keep nobody waiting. */
  readonly alone: number;
}

const defaults: ChangeTurns = { turn: 250, patience: 2000, alone: 1000 };
const queue = 10_000;
const share = { places: 1, queue: 1000 } as const;
const begin = (): void => undefined;

export class ChangesInTurn {
  readonly #busy: () => boolean;
  readonly #turns: ChangeTurns;
  #latest: string | undefined;
  /** When somebody else than the latest caller has asked for something. */
  #otherAt = Number.NEGATIVE_INFINITY;
  readonly #limiter = new FairLimiter({
    places: Number.POSITIVE_INFINITY,
    queue,
    share,
    refusal: () => new Error('too many wait'),
  });

  constructor(busy = loopIsBusy(), turns = defaults) {
    this.#busy = busy;
    this.#turns = turns;
  }

  /** Takes notice of who asks for something, a change or not. */
  asks(caller: string): void {
    if (this.#latest !== undefined && this.#latest !== caller) this.#otherAt = performance.now();
    this.#latest = caller;
  }

  async run<T>(caller: string, change: () => Promise<T>): Promise<T> {
    if (performance.now() - this.#otherAt > this.#turns.alone || !this.#busy()) return change();
    const end = await this.#limiter.acquire(caller, AbortSignal.timeout(this.#turns.patience)).catch(() => begin);
    const timer = setTimeout(end, this.#turns.turn);
    try {
      return await change();
    } finally {
      clearTimeout(timer);
      end();
    }
  }
}

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
