// A single-flight LRU cache of immutable values: callers who ask for a key at the same time share one computation.
import { Lru } from '#core/kernel/lru';
import type { Limiter } from '../process/limiter.ts';
import { CostlyQuestions } from '../process/too-costly.ts';

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
   * `compute` is aborted when everyone who waits for it has gone; that it was too costly is remembered for a while.
   * With a limiter each asker waits for a place of its own, so that nobody waits behind the queue of whoever asked
   * first.
   * @throws the signal's reason when it is aborted first.
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

  /** Forgets every key that starts with `prefix`. */
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
    // Whoever waits hears of its failure; it may fail when nobody waits any more.
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
