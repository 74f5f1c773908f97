// A lease: for how long one access decision stands while bytes come or go, and what asks again when it has run out.

export class Lease {
  readonly #ask: () => Promise<unknown>;
  readonly #milliseconds: number;
  #askedAt = performance.now();

  /** @param ask throws where the credential or the access is gone. */
  constructor(ask: () => Promise<unknown>, milliseconds: number) {
    this.#ask = ask;
    this.#milliseconds = milliseconds;
  }

  /** Asks where the last answer is older than the lease is long. */
  async hold(): Promise<void> {
    if (performance.now() - this.#askedAt >= this.#milliseconds) await this.renew();
  }

  /** @throws {Unauthorized | InsufficientScope | Forbidden | NotFound} */
  async renew(): Promise<void> {
    await this.#ask();
    this.#askedAt = performance.now();
  }
}

/** As long as live updates may outlast lost access (document D). */
export const leaseMs = 5_000;

/** A body that is on its way while its request is let in: asked for as long as it comes, and before its reader acts. */
export async function* uploaded(chunks: AsyncIterable<Uint8Array>, lease: Lease): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    await lease.hold();
    yield chunk;
  }
  await lease.renew();
}

/**
 * An answer that is passed on for as long as its reader may have it. Not a generator: closing one that has not begun
 * would never reach the source.
 * @param lost told where they may not any more, before the answer breaks off.
 */
export function held(source: AsyncIterator<Uint8Array>, lease: Lease, lost: () => void): AsyncIterator<Uint8Array> {
  return {
    async next() {
      const next = await source.next();
      if (next.done === true) return next;
      await lease.hold().catch((error: unknown) => {
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
