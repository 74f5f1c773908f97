// Turns at the connections of the database, shared fairly between callers: one's burst waits behind itself, and nobody
// has all connections.
import { Unavailable } from '#core/kernel/errors';
import { FairLimiter } from '#core/kernel/fair-limiter';

export interface TurnsOptions {
  /** Connections in all, and those one caller may have. */
  readonly connections: number;
  readonly share: number;
  /** The longest wait, in milliseconds. */
  readonly patience: number;
  /** On whose behalf one is asked for; undefined for the server's own work. Default: all is the server's own. */
  readonly caller?: (() => string | undefined) | undefined;
  /** Milliseconds. Default: the monotonic clock. */
  readonly now?: () => number;
}

/** Who may wait in all, and of one caller. */
const queue = { all: 20_000, caller: 5000 } as const;

/** Times one is looked at who waits for all of the patience: a tenth of it is as late as a refusal comes. */
const looks = 10;

export class Turns {
  readonly #limiter: FairLimiter;
  readonly #options: TurnsOptions;
  /** One for all who wait: a timer for each would cost more than most queries do. */
  #watch: NodeJS.Timeout | undefined;

  constructor(options: TurnsOptions) {
    this.#options = options;
    this.#limiter = new FairLimiter({
      places: options.connections,
      queue: queue.all,
      share: { places: options.share, queue: queue.caller },
      now: options.now ?? (() => performance.now()),
      refusal: (whose) => busy(whose === undefined ? '' : ' of yours'),
    });
  }

  /** The function it yields ends the turn. @throws {Unavailable} where too many wait, or it comes too late. */
  async take(): Promise<() => void> {
    const whose = this.#options.caller?.();
    const free = this.#limiter.attempt(whose);
    if (free !== undefined) return this.#ending(free);
    this.#watch ??= setInterval(() => this.#look(), this.#options.patience / looks).unref();
    return this.#ending(await this.#limiter.acquire(whose));
  }

  /**
   * Where others wait, it passes on when all that follows at once has been done: who asks for the next has it by their
   * share, and not after another's transaction each time.
   */
  #ending(free: () => void): () => void {
    return () => {
      if (this.#limiter.waiting === 0) free();
      else process.nextTick(free);
    };
  }

  #look(): void {
    this.#limiter.refuseBefore(performance.now() - this.#options.patience, () => busy(''));
    if (this.#limiter.waiting > 0) return;
    clearInterval(this.#watch);
    this.#watch = undefined;
  }
}

const busy = (whose: string): Unavailable =>
  new Unavailable(`Too many requests${whose} wait for the database`, {
    detail: 'Try again in a few seconds',
    retryAfter: 5,
  });
