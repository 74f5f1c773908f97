// One live connection: sends messages within bounds, ignores messages of the client, and detects a client that is gone.
import type { WebSocket } from 'ws';

export interface LiveLimits {
  /** Connections of one user, or of one network for anonymous callers. */
  readonly perCaller: number;
  /** Connections of this process. */
  readonly inAll: number;
  /** Bytes that may be buffered for a client that does not read. */
  readonly queuedBytes: number;
  /** Messages and pings that a client may send per second; they are ignored. */
  readonly heardPerSecond: number;
  /** Largest size of one such message. */
  readonly heardBytes: number;
  /** Milliseconds of silence after which a client is pinged. */
  readonly silentMs: number;
  /** Milliseconds a client has to answer a ping. */
  readonly answerMs: number;
  /**
   * The recheck interval in milliseconds, for access loss that no event reports: first with few audiences, then with
   * many.
   */
  readonly recheckMs: readonly [number, number];
  /** Milliseconds a client has to close its side. */
  readonly closeMs: number;
}

export const liveLimits: LiveLimits = {
  perCaller: 20,
  inAll: 5_000,
  queuedBytes: 256 * 1024,
  heardPerSecond: 20,
  heardBytes: 1024,
  silentMs: 30_000,
  answerMs: 15_000,
  recheckMs: [1_000, 4_000],
  closeMs: 1_000,
};

/** Close codes (RFC 6455, section 7.4, and the IANA registry). */
export const closing = { stopping: 1001, refused: 1008, tryAgain: 1013 } as const;

export class Follower {
  readonly #socket: WebSocket;
  readonly #limits: LiveLimits;
  #heardAt = performance.now();
  #askedAt: number | undefined;
  #heard = 0;

  constructor(socket: WebSocket, limits: LiveLimits) {
    this.#socket = socket;
    this.#limits = limits;
    const hear = (): void => this.#hear();
    socket.on('message', hear).on('ping', hear).on('pong', hear);
    // The library itself sends the close code to a client that breaks the protocol.
    socket.on('error', () => undefined);
  }

  onEnd(ended: () => void): void {
    this.#socket.once('close', ended);
  }

  /** Sends one message, or terminates the connection if the client has not read the earlier ones. */
  tell(bytes: Uint8Array): void {
    if (this.#isFull()) this.#socket.terminate();
    else this.#socket.send(bytes, { binary: false });
  }

  /** @param reason at most 123 bytes, which a client may show. */
  end(code: number, reason: string): void {
    this.#socket.close(code, reason);
    const timer = setTimeout(() => this.#socket.terminate(), this.#limits.closeMs).unref();
    this.#socket.once('close', () => clearTimeout(timer));
  }

  /** Called each second: pings a silent client, and terminates the connection if it does not answer. */
  beat(now: number): void {
    const { silentMs, answerMs } = this.#limits;
    this.#heard = 0;
    if (this.#askedAt !== undefined && now - this.#askedAt >= answerMs) this.#socket.terminate();
    else if (this.#askedAt === undefined && now - this.#heardAt >= silentMs) {
      this.#askedAt = now;
      this.#socket.ping();
    }
  }

  #hear(): void {
    this.#heardAt = performance.now();
    this.#askedAt = undefined;
    this.#heard += 1;
    // Pongs for its pings are also buffered if it does not read.
    if (this.#heard > this.#limits.heardPerSecond || this.#isFull()) this.#socket.terminate();
  }

  #isFull(): boolean {
    return this.#socket.bufferedAmount > this.#limits.queuedBytes;
  }
}
