// The slot of long-running work, which is passed on after some time if others are queued.
import type { Limiter } from './limiter.ts';

/** Milliseconds for which a slot is kept while others are queued. */
const turnMs = 1000;

export class HeldSlot {
  readonly #limiter: Limiter;
  #release: () => void;
  #until = performance.now() + turnMs;

  /** @param release of the slot that the work holds. */
  constructor(limiter: Limiter, release: () => void) {
    this.#limiter = limiter;
    this.#release = release;
  }

  /** Whether the slot should be passed on now. */
  get over(): boolean {
    return performance.now() > this.#until && this.#limiter.waiting > 0;
  }

  /**
   * Releases the slot and queues for another one.
   * @throws {Unavailable} if the queue is full.
   */
  async pass(): Promise<void> {
    this.#release();
    this.#release = await this.#limiter.acquire();
    this.#until = performance.now() + turnMs;
  }

  end(): void {
    this.#release();
  }
}
