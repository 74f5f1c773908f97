// A keyed mutex: whoever asks for a key waits until everyone who asked before has released it.

export class KeyedMutex {
  /** key → the end of its queue. A key nobody holds is not in the map. */
  readonly #tails = new Map<string, Promise<void>>();

  /**
   * Resolves, when it is the caller's turn, to the function that releases the key; calling it twice does no more.
   * Rejects with the signal's reason where that is aborted before; the place in the queue is then passed over.
   */
  async acquire(key: string, signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted();
    const before = this.#tails.get(key);
    let release: () => void = () => undefined;
    const mine = new Promise<void>((resolve) => {
      release = resolve;
    });
    this.#tails.set(key, mine);
    const leave = (): void => {
      if (this.#tails.get(key) === mine) this.#tails.delete(key);
      release();
    };
    try {
      await ended(before, signal);
    } catch (error) {
      void before?.then(leave);
      throw error;
    }
    return leave;
  }

  /** Runs `work` while holding the key, and releases it whatever becomes of it. */
  async run<T>(key: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const release = await this.acquire(key, signal);
    try {
      return await work();
    } finally {
      release();
    }
  }
}

/** Waits for the end of another's turn. @throws the signal's reason where that comes first. */
async function ended(turn: Promise<void> | undefined, signal: AbortSignal | undefined): Promise<void> {
  if (turn === undefined || signal === undefined) return turn;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const leave = (): void => reject(signal.reason as Error);
  signal.addEventListener('abort', leave, { once: true });
  void turn.then(resolve);
  try {
    await promise;
  } finally {
    signal.removeEventListener('abort', leave);
  }
}
