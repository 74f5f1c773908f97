// A keyed mutex whose queues are bounded and shared fairly between callers: those who wait for a key have it by turns.
import { Unavailable } from './errors.ts';
import { FairLimiter } from './fair-limiter.ts';

/** Who may wait for one key, in all and of one caller. */
const queue = { all: 5000, caller: 500 } as const;

export class FairMutex {
  readonly #caller: () => string | undefined;
  /** A key that nobody holds or waits for is not in the map. */
  readonly #keys = new Map<string, { readonly limiter: FairLimiter; users: number }>();

  /** @param caller on whose behalf the present work is done; undefined for the server's own. */
  constructor(caller: () => string | undefined = () => undefined) {
    this.#caller = caller;
  }

  /**
   * Runs `work` while holding the key, and releases it whatever becomes of it.
   * @throws {Unavailable} where too many wait; the signal's reason where it is aborted while this waits.
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
    places: 1,
    queue: queue.all,
    share: { places: 1, queue: queue.caller },
    refusal: (whose) =>
      new Unavailable(`Too many changes${whose === undefined ? '' : ' of yours'} wait for the same thing`, {
        detail: 'Try again in a few seconds',
        retryAfter: 5,
      }),
  });
