// Access rechecks during transfers: how long one access decision is valid while a body is received or sent, and how it
// is renewed.

export class AccessRecheck {
  readonly #ask: () => Promise<unknown>;
  readonly #milliseconds: number;
  #askedAt = performance.now();

  /** @param ask performs the access recheck; throws if the credential or the access is lost. */
  constructor(ask: () => Promise<unknown>, milliseconds: number) {
    this.#ask = ask;
    this.#milliseconds = milliseconds;
  }

  /** Rechecks access if the last check is older than the recheck interval. */
  async hold(): Promise<void> {
    if (performance.now() - this.#askedAt >= this.#milliseconds) await this.renew();
  }

  /** Rechecks access now. @throws {Unauthorized | InsufficientScope | Forbidden | NotFound} */
  async renew(): Promise<void> {
    await this.#ask();
    this.#askedAt = performance.now();
  }
}

/** The default recheck interval, in milliseconds. */
export const recheckMs = 5_000;

/**
 * A request body with access rechecks: at each chunk when the recheck interval has passed, and once after the last
 * chunk.
 */
export async function* uploaded(chunks: AsyncIterable<Uint8Array>, recheck: AccessRecheck): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    await recheck.hold();
    yield chunk;
  }
  await recheck.renew();
}

/**
 * An answer that is sent only while its reader has access. Not a generator: closing a generator that has not started
 * would not close the source.
 * @param lost called when access is lost, before the answer is cut off.
 */
export function held(
  source: AsyncIterator<Uint8Array>,
  recheck: AccessRecheck,
  lost: () => void,
): AsyncIterator<Uint8Array> {
  return {
    async next() {
      const next = await source.next();
      if (next.done === true) return next;
      await recheck.hold().catch((error: unknown) => {
        lost();
        throw error;
      });
      return next;
    },
    async return() {
      await source.return?.();
      return { done: true, value: undefined };
    },
  };
}
