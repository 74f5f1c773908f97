// A bounded queue of bytes with backpressure, between a task that must run to its end and a reader that may leave at
// any time.
import type { HexforgeError } from '#core/kernel/errors';

export class Channel implements AsyncIterableIterator<Uint8Array> {
  readonly #limit: number;
  readonly #onLeave: () => Promise<void>;
  readonly #queue: Uint8Array[] = [];
  #bytes = 0;
  #ended = false;
  #discarding = false;
  #failure: unknown;
  /** Why the push was rejected, if the reason is a fault of the server rather than of the push. */
  fault: HexforgeError | undefined;
  #wakeReader: (() => void) | undefined;
  #wakeWriter: (() => void) | undefined;

  /**
   * @param limit bytes in the queue.
   * @param onLeave called when the reader leaves before the end; `return` waits for it.
   */
  constructor(limit: number, onLeave: () => Promise<void>) {
    this.#limit = limit;
    this.#onLeave = onLeave;
  }

  /** Adds a chunk, and waits while the queue is full. */
  async push(chunk: Uint8Array): Promise<void> {
    if (this.#discarding || this.#ended || chunk.length === 0) return;
    this.#queue.push(chunk);
    this.#bytes += chunk.length;
    this.#wakeReader?.();
    while (!this.#discarding && this.#bytes > this.#limit) {
      await new Promise<void>((resolve) => {
        this.#wakeWriter = resolve;
      });
    }
  }

  end(): void {
    this.#ended = true;
    this.#wakeReader?.();
  }

  fail(error: unknown): void {
    this.#failure ??= error;
    this.end();
  }

  /**
   * Drops queued chunks and all further ones, because the reader has left. A reader that still waits only receives the
   * end.
   */
  discard(): void {
    this.#discarding = true;
    this.#queue.length = 0;
    this.#bytes = 0;
    this.#wakeWriter?.();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<Uint8Array>> {
    for (;;) {
      const chunk = this.#queue.shift();
      if (chunk !== undefined) {
        this.#bytes -= chunk.length;
        this.#wakeWriter?.();
        return { done: false, value: chunk };
      }
      if (this.#ended) {
        const failure = this.#failure;
        this.#failure = undefined;
        if (failure !== undefined) throw failure;
        return { done: true, value: undefined };
      }
      await new Promise<void>((resolve) => {
        this.#wakeReader = resolve;
      });
    }
  }

  async return(): Promise<IteratorResult<Uint8Array>> {
    this.discard();
    if (!this.#ended) await this.#onLeave();
    return { done: true, value: undefined };
  }
}
