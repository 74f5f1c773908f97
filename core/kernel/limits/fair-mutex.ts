// A keyed mutex whose bounded queues are shared fairly between callers.
import { Unavailable } from '../errors.ts';
import { FairLimiter } from './fair-limiter.ts';

/** Maximum number of requests that wait for one key, in total and per caller. */
const queue = { all: 5000, caller: 500 } as const;

export class FairMutex {
  readonly #caller: () => string | undefined;
  /** Contains only keys that are held or waited for. */
  readonly #keys = new Map<string, { readonly limiter: FairLimiter; users: number }>();

  /** @param caller returns the current caller key; undefined for the server's own work. */
  constructor(caller: () => string | undefined = () => undefined) {
    this.#caller = caller;
  }

  /**
   * Runs `work` while holding the key, and always releases it afterwards.
   * @throws {Unavailable} if the queue is full; the signal's reason if it aborts during the wait.
   */
  async run<T>(key: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const held = this.#keys.get(key) ?? { limiter: oneAtATime(), users: 0 };
    this.#keys.set(key, held);
    held.users += 1;
    try {
      return await held.limiter.run(work, this.#caller(), signal);
    } finally {
      held.users -= 1;
      if (held.users === 0) this.#keys.delete(key);
    }
  }
}

const oneAtATime = (): FairLimiter =>
  new FairLimiter({
    slots: 1,
    queue: queue.all,
    share: { slots: 1, queue: queue.caller },
    refusal: (callerKey) =>
      new Unavailable(`Too many changes${callerKey === undefined ? '' : ' of yours'} wait for the same thing`, {
        detail: 'Try again in a few seconds',
        retryAfter: 5,
      }),
  });
