// An LRU cache bounded by total weight.

/**
 * A cache that evicts the least recently used values when their total weight exceeds its capacity. Cached values must
 * be immutable.
 *
 * @example
 *   const texts = new Lru<string>(1024 ** 2);
 *   texts.set('greeting', 'Hello', 5);
 */
export class Lru<V> {
  readonly #capacity: number;
  readonly #entries = new Map<string, { readonly value: V; readonly weight: number }>();
  #weight = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get(key: string): V | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry.value;
  }

  set(key: string, value: V, weight = 1): void {
    this.#drop(key);
    if (weight > this.#capacity) return;
    this.#entries.set(key, { value, weight });
    this.#weight += weight;
    for (const oldest of this.#entries.keys()) {
      if (this.#weight <= this.#capacity) break;
      this.#drop(oldest);
    }
  }

  /** Deletes every key that starts with `prefix`. */
  forget(prefix: string): void {
    for (const key of this.#entries.keys()) if (key.startsWith(prefix)) this.#drop(key);
  }

  #drop(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#weight -= entry.weight;
    this.#entries.delete(key);
  }
}
