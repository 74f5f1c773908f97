// The limits of live connections.

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
