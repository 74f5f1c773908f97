// The bounds of live connections.

export interface LiveLimits {
  /** Connections of one user; of one network, where they are anonymous. */
  readonly perCaller: number;
  /** Connections of this process. */
  readonly inAll: number;
  /** Bytes that may wait for a client that does not read. */
  readonly queuedBytes: number;
  /** Messages and pings that a client may send in a second; nobody listens to them. */
  readonly heardPerSecond: number;
  /** Of one of them. */
  readonly heardBytes: number;
  /** Milliseconds of silence after which a client is asked whether it is there. */
  readonly silentMs: number;
  /** Milliseconds it has to answer that. */
  readonly answerMs: number;
  /**
   * Milliseconds after which access is asked for again though nothing says that it was lost: the first of few
   * followers, the second of many.
   */
  readonly leaseMs: readonly [number, number];
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
  leaseMs: [1_000, 4_000],
  closeMs: 1_000,
};
