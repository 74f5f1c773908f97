// A single-flight LRU cache of immutable values: concurrent requests for a key share one computation. Undefined is not
// cached.
import { Lru } from '#core/kernel/limits/lru';
import type { Limiter } from './limiter.ts';
import { CostlyQuestions } from './too-costly.ts';
import { orAborted } from '#adapters/git-common/waiting/until-aborted';

interface Computation<V> {
  readonly answer: Promise<V>;
  readonly abandoned: AbortController;
  waiting: number;
}

/** One for all, because an error costs more than most lookups. */
const unwanted = new Error('nobody waits for it any more');

export class SingleFlightCache<V> {
  readonly #known: Lru<NonNullable<V>>;
  readonly #weigh: (value: NonNullable<V>) => number;
  readonly #running = new Map<string, Computation<V>>();
  readonly #costly = new CostlyQuestions();

  constructor(capacity: number, weigh: (value: NonNullable<V>) => number) {
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
    const known = this.known(key);
    if (known !== undefined) return known;
    this.#costly.refuse(key);
    const join = (): Promise<V> => this.#join(key, signal, compute);
    return limiter === undefined ? await join() : await limiter.run(join, signal);
  }

  known(key: string): V | undefined {
    return this.#known.get(key);
  }

  async #join(key: string, signal: AbortSignal | undefined, compute: (signal: AbortSignal) => Promise<V>): Promise<V> {
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const computation = this.#running.get(key) ?? this.#begin(key, compute);
    computation.waiting += 1;
    try {
      return await orAborted(computation.answer, signal);
    } finally {
      computation.waiting -= 1;
      if (computation.waiting === 0) {
        if (this.#running.get(key) === computation) this.#running.delete(key);
        computation.abandoned.abort(unwanted);
      }
    }
  }

  #begin(key: string, compute: (signal: AbortSignal) => Promise<V>): Computation<V> {
    const abandoned = new AbortController();
    const answer = this.#costly
      .ask(key, () => compute(abandoned.signal))
      .then((value) => {
        if (value !== undefined && value !== null) this.#known.set(key, value, this.#weigh(value));
        return value;
      });
    // Waiting callers receive the error. The computation may also fail when no caller is left.
    answer.catch(() => undefined);
    const computation: Computation<V> = { answer, abandoned, waiting: 0 };
    this.#running.set(key, computation);
    return computation;
  }
}
