// The time limits of a connection on which no request runs. Node has one limit for both: a new connection that stays
// silent, as proxies open them ahead, would have as little time as the head of a request.

export interface WaitLimits {
  /** Milliseconds that a connection may stay silent. */
  readonly idleMilliseconds: number;
  /** Milliseconds that the head of a request may take. */
  readonly headMilliseconds: number;
}

/**
 * 75 s: longer than the 60 s that proxies usually keep connections to a server, so that a proxy closes them first. A
 * request that meets a closing connection is lost.
 */
export const defaultIdleMilliseconds = 75_000;
export const headMilliseconds = 30_000;

export class BetweenRequests {
  readonly #limits: WaitLimits;
  /** Bytes read when the last request was answered. */
  #bytes = 0;
  #arriving = false;
  #waited = 0;

  constructor(limits: WaitLimits) {
    this.#limits = limits;
  }

  /** A request has been answered. */
  begin(bytesRead: number): void {
    this.#bytes = bytesRead;
    this.#arriving = false;
    this.#waited = 0;
  }

  /**
   * Called every `passed` milliseconds. @returns which limit is exceeded.
   * @param begun whether a request has begun to arrive, if that is known: its first bytes may have arrived before the
   * last request was answered.
   */
  look(passed: number, bytesRead: number, begun: boolean): 'idle' | 'head' | undefined {
    const arriving = bytesRead > this.#bytes || (begun && bytesRead > 0);
    if (arriving !== this.#arriving) {
      this.#arriving = arriving;
      this.#waited = 0;
    }
    this.#waited += passed;
    if (arriving) return this.#waited > this.#limits.headMilliseconds ? 'head' : undefined;
    return this.#waited > this.#limits.idleMilliseconds ? 'idle' : undefined;
  }
}
