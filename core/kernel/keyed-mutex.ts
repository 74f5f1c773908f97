// A keyed mutex: whoever asks for a key waits until everyone who asked before has released it.

export class KeyedMutex {
  /** key → the end of its queue. A key nobody holds is not in the map. */
  readonly #tails = new Map<string, Promise<void>>();

  /** Runs `work` while holding the key, and releases it whatever becomes of it. */
  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#tails.get(key);
    const { promise: mine, resolve: release } = Promise.withResolvers<void>();
    this.#tails.set(key, mine);
    await before;
    try {
      return await work();
    } finally {
      if (this.#tails.get(key) === mine) this.#tails.delete(key);
      release();
    }
  }
}
