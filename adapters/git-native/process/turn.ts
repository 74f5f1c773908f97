// A place of a limiter, held by work that may take long: whoever has had it for a while gives it to who waits.
import type { Limiter } from './limiter.ts';

/** How long a place is kept while others wait for one. */
const turnMs = 1000;

export class Turn {
  readonly #limiter: Limiter;
  #release: () => void;
  #until = performance.now() + turnMs;

  /** @param release of the place that is held. */
  constructor(limiter: Limiter, release: () => void) {
    this.#limiter = limiter;
    this.#release = release;
  }

  /** Whether the place is to be given up now. */
  get over(): boolean {
    return performance.now() > this.#until && this.#limiter.waiting > 0;
  }

  /** Gives the place to who waits, and waits for another. @throws {Unavailable} where too many do. */
  async pass(): Promise<void> {
    this.#release();
    this.#release = await this.#limiter.acquire();
    this.#until = performance.now() + turnMs;
  }

  end(): void {
    this.#release();
  }
}
