// The limiter of git's work: on whose behalf it is asked, what one caller's share is, and how a refusal reads.
import { Unavailable } from '#core/kernel/errors';
import { FairLimiter } from '#core/kernel/fair-limiter';

export interface LimiterOptions {
  readonly places: number;
  /** Who may wait in all before the next is refused. */
  readonly queue: number;
  /**
   * On whose behalf a place is asked for; one caller has as many places as it leaves free (half of them alone, a third
   * beside another) and a quarter of the queue. Undefined for the server's own work, which has no share but waits its
   * turn. Default: all is the server's own.
   */
  readonly caller?: (() => string | undefined) | undefined;
}

/** Seconds after which it is worth asking again. */
const again = 10;

export class Limiter {
  readonly #caller: () => string | undefined;
  readonly #fair: FairLimiter;

  constructor(name: string, { places, queue, caller = () => undefined }: LimiterOptions) {
    const share = { places: 'as-left', queue: Math.ceil(queue / 4) } as const;
    this.#caller = caller;
    this.#fair = new FairLimiter({
      places,
      queue,
      share,
      refusal: (whose) => (whose === undefined ? tooMany(name) : tooManyOf(whose, name, share.queue)),
    });
  }

  /**
   * Waits for a place. The function it yields releases it; calling it again does nothing.
   * @throws {Unavailable} when the queue, or the caller's part of it, is full; the signal's reason when it is aborted
   * first.
   */
  async acquire(signal?: AbortSignal): Promise<() => void> {
    return await this.#fair.acquire(this.#caller(), signal);
  }

  /** How many wait. */
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

const tooManyOf = (whose: string, name: string, most: number): Unavailable =>
  new Unavailable(
    `Too many git ${name} of ${whose.startsWith('user:') ? 'your account' : 'your address'} are waiting`,
    {
      detail: `At most ${most} of one caller wait at a time; try again in ${again} seconds`,
      retryAfter: again,
    },
  );
