// The minimum transfer rate of a client, so that a slow one does not keep a slot. Time counts only while the server
// waits for the client, because git may take its time.

export interface LeastRate {
  readonly bytesPerSecond: number;
  /** Seconds of waiting over which the rate is measured. */
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

  /** The server starts to wait for the client. */
  waits(): void {
    this.#since = performance.now();
    this.#timer = setTimeout(() => this.#judge(), Math.max(0, this.#windowMs - this.#waitedMs)).unref();
  }

  /** The client sent or received bytes. */
  moved(bytes: number): void {
    this.#bytes += bytes;
    this.end();
    if (this.#waitedMs >= this.#windowMs) this.#judge();
  }

  /** The server does not wait for the client any more. */
  end(): void {
    clearTimeout(this.#timer);
    if (this.#since !== undefined) this.#waitedMs += performance.now() - this.#since;
    this.#since = undefined;
  }

  #judge(): void {
    const waits = this.#since !== undefined;
    this.end();
    const enough = this.#bytes >= this.#leastBytes;
    this.#waitedMs = 0;
    this.#bytes = 0;
    if (!enough) this.#tooSlow();
    else if (waits) this.waits();
  }
}
