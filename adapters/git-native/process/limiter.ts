// A concurrency limiter (counting semaphore) with a bounded queue, from which a caller that aborts is removed.
import { Unavailable } from '#core/kernel/errors';

export class Limiter {
  readonly #name: string;
  readonly #queueLimit: number;
  readonly #waiting: (() => void)[] = [];
  #free: number;

  constructor(name: string, size: number, queueLimit: number) {
    this.#name = name;
    this.#free = size;
    this.#queueLimit = queueLimit;
  }

  /**
   * Waits for a slot. The function it yields releases it; calling it again does nothing.
   * @throws {Unavailable} when the queue is full; the signal's reason when it is aborted first.
   */
  async acquire(signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted();
    if (this.#free > 0) this.#free -= 1;
    else await this.#queue(signal);
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      const next = this.#waiting.shift();
      if (next === undefined) this.#free += 1;
      else next();
    };
  }

  async run<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const release = await this.acquire(signal);
    try {
      return await work();
    } finally {
      release();
    }
  }

  async #queue(signal: AbortSignal | undefined): Promise<void> {
    if (this.#waiting.length >= this.#queueLimit) {
      throw new Unavailable(`The server has too many git ${this.#name} waiting`, { detail: 'Try again in a minute' });
    }
    await new Promise<void>((resolve, reject) => {
      const leave = (): void => {
        const index = this.#waiting.indexOf(enter);
        if (index >= 0) this.#waiting.splice(index, 1);
        reject(signal?.reason);
      };
      const enter = (): void => {
        signal?.removeEventListener('abort', leave);
        resolve();
      };
      this.#waiting.push(enter);
      signal?.addEventListener('abort', leave, { once: true });
    });
  }
}
