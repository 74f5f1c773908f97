// A keyed mutex: whoever asks for a key waits until everyone who asked before has released it.

export class KeyedMutex {
  /** key → the end of its queue. A key nobody holds is not in the map. */
  readonly #tails = new Map<string, Promise<void>>();

  /** Resolves, when it is the caller's turn, to the function that releases the key; calling it twice does no more. */
  async acquire(key: string): Promise<() => void> {
    const before = this.#tails.get(key);
    let release: () => void = () => undefined;
    const mine = new Promise<void>((resolve) => {
      release = resolve;
    });
    this.#tails.set(key, mine);
    await before;
    return () => {
      if (this.#tails.get(key) === mine) this.#tails.delete(key);
      release();
    };
  }

  /** Runs `work` while holding the key, and releases it whatever becomes of it. */
  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const release = await this.acquire(key);
    try {
      return await work();
    } finally {
      release();
    }
  }
}
