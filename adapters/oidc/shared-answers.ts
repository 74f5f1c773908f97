// A cache of answers that are requested once for all callers at a time.

interface Entry<T> {
  readonly answer: Promise<T>;
  /** Until when the entry is used; undefined while the request runs. */
  until: number | undefined;
}

export interface SharedAnswersOptions {
  /** Milliseconds that an answer is kept. */
  readonly keptMs: number;
  /** Milliseconds that a failure is kept, so that a failing server is not asked by each request. */
  readonly failedMs: number;
  /** Milliseconds since any moment. */
  readonly now: () => number;
}

/** The most entries. The oldest is evicted first. */
const mostEntries = 64;

export class SharedAnswers<T> {
  readonly #options: SharedAnswersOptions;
  readonly #entries = new Map<string, Entry<T>>();

  constructor(options: SharedAnswersOptions) {
    this.#options = options;
  }

  /** Whether an answer, or a failure, is kept or requested. */
  has(key: string): boolean {
    return this.#current(key) !== undefined;
  }

  /** The kept answer, or that of `load`, which runs once for all callers that wait for it. */
  async get(key: string, load: () => Promise<T>, signal: AbortSignal): Promise<T> {
    const { answer } = this.#current(key) ?? this.#begin(key, load);
    return unlessAborted(answer, signal);
  }

  forget(key: string): void {
    this.#entries.delete(key);
  }

  #current(key: string): Entry<T> | undefined {
    const entry = this.#entries.get(key);
    return entry === undefined || (entry.until !== undefined && this.#options.now() >= entry.until) ? undefined : entry;
  }

  #begin(key: string, load: () => Promise<T>): Entry<T> {
    const { keptMs, failedMs, now } = this.#options;
    const entry: Entry<T> = { answer: load(), until: undefined };
    entry.answer.then(
      () => (entry.until = now() + keptMs),
      () => (entry.until = now() + failedMs),
    );
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= mostEntries) break;
      this.#entries.delete(oldest);
    }
    return entry;
  }
}

/** @throws the signal's reason, if it aborts first. */
async function unlessAborted<T>(answer: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  const { promise, reject } = Promise.withResolvers<never>();
  const leave = (): void => reject(signal.reason);
  signal.addEventListener('abort', leave, { once: true });
  try {
    return await Promise.race([answer, promise]);
  } finally {
    signal.removeEventListener('abort', leave);
  }
}
