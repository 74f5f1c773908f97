// A single-flight LRU cache of immutable values: concurrent requests for a key share one computation.
import { Lru } from '#core/kernel/limits/lru';
import type { Limiter } from './limiter.ts';
import { CostlyQuestions } from './too-costly.ts';

interface Computation<V> {
  readonly answer: Promise<V>;
  readonly abandoned: AbortController;
  waiting: number;
}

export class SingleFlightCache<V> {
  readonly #known: Lru<V>;
  readonly #weigh: (value: V) => number;
  readonly #running = new Map<string, Computation<V>>();
  readonly #costly = new CostlyQuestions();

  constructor(capacity: number, weigh: (value: V) => number) {
    this.#known = new Lru(capacity);
    this.#weigh = weigh;
  }

  /**
   * Returns the cached value, or joins or starts its computation. `compute` is aborted when all callers that wait for
   * it have left. With a limiter each caller queues for its own slot, so that no caller depends on the place of the
   * first one in the queue.
   * @throws {TooCostly} for a minute after a computation that was too costly; what `compute` throws; the signal's
   * reason when it is aborted first.
   */
  async get(
    key: string,
    signal: AbortSignal | undefined,
    compute: (signal: AbortSignal) => Promise<V>,
    limiter?: Limiter,
  ): Promise<V> {
    signal?.throwIfAborted();
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    this.#costly.refuse(key);
    const join = (): Promise<V> => this.#join(key, signal, compute);
    return limiter === undefined ? await join() : await limiter.run(join, signal);
  }

  async #join(key: string, signal: AbortSignal | undefined, compute: (signal: AbortSignal) => Promise<V>): Promise<V> {
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const computation = this.#running.get(key) ?? this.#begin(key, compute);
    computation.waiting += 1;
    let leave = (): void => undefined;
    const left = new Promise<never>((_resolve, reject) => {
      leave = () => reject(signal?.reason);
      signal?.addEventListener('abort', leave, { once: true });
    });
    try {
      return await Promise.race([computation.answer, left]);
    } finally {
      signal?.removeEventListener('abort', leave);
      computation.waiting -= 1;
      if (computation.waiting === 0) this.#end(key, computation);
    }
  }

  /** Removes every key that starts with `prefix`. */
  forget(prefix: string): void {
    this.#known.forget(prefix);
    this.#costly.forget(prefix);
  }

  #begin(key: string, compute: (signal: AbortSignal) => Promise<V>): Computation<V> {
    const abandoned = new AbortController();
    const answer = this.#costly
      .ask(key, () => compute(abandoned.signal))
      .then((value) => {
        this.#known.set(key, value, this.#weigh(value));
        return value;
      });
    // Waiting callers receive the error. The computation may also fail when no caller is left.
    answer.catch(() => undefined);
    const computation: Computation<V> = { answer, abandoned, waiting: 0 };
    this.#running.set(key, computation);
    return computation;
  }

  #end(key: string, computation: Computation<V>): void {
    if (this.#running.get(key) === computation) this.#running.delete(key);
    computation.abandoned.abort(new Error('nobody waits for it any more'));
  }
}
