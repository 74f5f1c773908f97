// The least rate at which a client has to send or to read, so that nobody keeps a place for bytes that hardly move. The
// clock runs only while the client is waited for: git may take its time.

export interface LeastRate {
  readonly bytesPerSecond: number;
  /** Waiting is judged by so many seconds at a time. */
  readonly seconds: number;
}

export class Pace {
  readonly #windowMs: number;
  readonly #leastBytes: number;
  readonly #tooSlow: () => void;
  #waitedMs = 0;
  #bytes = 0;
  #since: number | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor({ bytesPerSecond, seconds }: LeastRate, tooSlow: () => void) {
    this.#windowMs = seconds * 1000;
    this.#leastBytes = bytesPerSecond * seconds;
    this.#tooSlow = tooSlow;
  }

  /** From here on the client is waited for. */
  waits(): void {
    this.#since = performance.now();
    this.#timer = setTimeout(() => this.#judge(), Math.max(0, this.#windowMs - this.#waitedMs)).unref();
  }

  /** The client sent or took so many bytes. */
  moved(bytes: number): void {
    this.#bytes += bytes;
    this.#count();
    if (this.#waitedMs >= this.#windowMs) this.#judge();
  }

  /** Nobody is waited for any more. */
  end(): void {
    this.#count();
  }

  #count(): void {
    clearTimeout(this.#timer);
    if (this.#since !== undefined) this.#waitedMs += performance.now() - this.#since;
    this.#since = undefined;
  }

  #judge(): void {
    const waits = this.#since !== undefined;
    this.#count();
    const enough = this.#bytes >= this.#leastBytes;
    this.#waitedMs = 0;
    this.#bytes = 0;
    if (!enough) this.#tooSlow();
    else if (waits) this.waits();
  }
}
