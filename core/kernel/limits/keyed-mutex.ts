// A keyed mutex: callers that wait for the same key run one after the other, in the order of their calls.

export class KeyedMutex {
  /** Key → the end of its queue. Contains only keys that are held. */
  readonly #tails = new Map<string, Promise<void>>();

  /** Runs `work` while holding the key, and always releases it afterwards. */
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
