// A memory budget for request bodies, per caller and in total. Compressed bodies count after decompression.
import { RateLimited, Unavailable } from '../errors.ts';

export interface MemoryBudgetLimits {
  /** Bytes for all requests of one caller. */
  readonly perCaller: number;
  /**
   * Bytes for all callers. Above this, each caller may hold at most an equal part of it; above 1.5 times this, every
   * request is rejected.
   */
  readonly inAll: number;
}

/** Bodies are usually processed within this time. */
const retryAfterSeconds = 2;

/** The bytes that one request holds. */
export interface MemoryReservation {
  /** @throws {RateLimited | Unavailable} if the budget of the caller or the total budget is exceeded. */
  take(bytes: number): void;
  release(): void;
}

export class MemoryBudget {
  readonly #limits: MemoryBudgetLimits;
  readonly #byCaller = new Map<string, number>();
  #all = 0;

  constructor(limits: MemoryBudgetLimits) {
    this.#limits = limits;
  }

  hold(caller: string): MemoryReservation {
    let own = 0;
    return {
      take: (bytes) => {
        this.#admit(caller, bytes);
        own += bytes;
        this.#add(caller, bytes);
      },
      release: () => {
        this.#add(caller, -own);
        own = 0;
      },
    };
  }

  #admit(caller: string, bytes: number): void {
    const { perCaller, inAll } = this.#limits;
    const mine = (this.#byCaller.get(caller) ?? 0) + bytes;
    if (mine > perCaller)
      throw new RateLimited('Too many large requests at once', retryAfterSeconds, {
        detail: `The bodies of your requests may take ${perCaller} bytes at a time`,
      });
    const all = this.#all + bytes;
    const callers = this.#byCaller.size + (this.#byCaller.has(caller) ? 0 : 1);
    if (all > 1.5 * inAll || (all > inAll && mine > inAll / callers))
      throw new Unavailable('The server is busy with large requests', { detail: 'Try again in a few seconds' });
  }

  #add(caller: string, bytes: number): void {
    this.#all += bytes;
    const mine = (this.#byCaller.get(caller) ?? 0) + bytes;
    if (mine === 0) this.#byCaller.delete(caller);
    else this.#byCaller.set(caller, mine);
  }
}
