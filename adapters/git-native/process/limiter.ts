// A concurrency limiter (counting semaphore) whose places and bounded queue are shared fairly between callers: those
// who wait are let in by turns (round-robin), and nobody takes more than a share while somebody else might come.
import { Unavailable } from '#core/kernel/errors';

interface Ticket {
  readonly enter: () => void;
  readonly refuse: (error: unknown) => void;
}

export interface LimiterOptions {
  readonly places: number;
  /** Who may wait in all before the next is refused. */
  readonly queue: number;
  /**
   * On whose behalf a place is asked for; one caller has half of the places and a quarter of the queue. Undefined for
   * the server's own work, which has no share but waits its turn. Default: all is the server's own.
   */
  readonly caller?: (() => string | undefined) | undefined;
}

/** Seconds after which it is worth asking again. */
const again = 10;
/** No caller's key: they name what they are of. */
const own = '';

export class Limiter {
  readonly #name: string;
  readonly #caller: () => string | undefined;
  readonly #queue: number;
  /** Places, and tickets in the queue, of one caller. */
  readonly #share: { readonly places: number; readonly queue: number };
  readonly #held = new Map<string, number>();
  /** By caller; who has the next turn stands first. */
  readonly #waiting = new Map<string, Ticket[]>();
  #free: number;

  constructor(name: string, { places, queue, caller = () => undefined }: LimiterOptions) {
    this.#name = name;
    this.#caller = caller;
    this.#free = places;
    this.#queue = queue;
    this.#share = { places: Math.ceil(places / 2), queue: Math.ceil(queue / 4) };
  }

  /**
   * Waits for a place. The function it yields releases it; calling it again does nothing.
   * @throws {Unavailable} when the queue, or the caller's part of it, is full; the signal's reason when it is aborted
   * first.
   */
  async acquire(signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted();
    const key = this.#caller() ?? own;
    if (this.#free > 0 && this.#mayHoldMore(key)) this.#take(key);
    else await this.#wait(key, signal);
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      this.#give(key);
    };
  }

  async run<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const release = await this.acquire(signal);
    try {
      return await work();
    } finally {
      release();
    }
  }

  #mayHoldMore(key: string): boolean {
    return key === own || (this.#held.get(key) ?? 0) < this.#share.places;
  }

  #take(key: string): void {
    this.#free -= 1;
    this.#held.set(key, (this.#held.get(key) ?? 0) + 1);
  }

  #give(key: string): void {
    this.#free += 1;
    const held = (this.#held.get(key) ?? 0) - 1;
    if (held > 0) this.#held.set(key, held);
    else this.#held.delete(key);
    for (const [next, tickets] of this.#waiting) {
      if (!this.#mayHoldMore(next)) continue;
      const ticket = tickets.shift();
      this.#waiting.delete(next);
      if (tickets.length > 0) this.#waiting.set(next, tickets);
      this.#take(next);
      ticket?.enter();
      return;
    }
  }

  async #wait(key: string, signal: AbortSignal | undefined): Promise<void> {
    const tickets = this.#waiting.get(key) ?? [];
    if (key !== own && tickets.length >= this.#share.queue) throw this.#tooManyOf(key);
    this.#makeRoom(tickets.length);
    await new Promise<void>((resolve, reject) => {
      const leave = (): void => {
        this.#remove(key, ticket);
        reject(signal?.reason);
      };
      const ticket: Ticket = {
        enter: () => {
          signal?.removeEventListener('abort', leave);
          resolve();
        },
        refuse: (error) => {
          signal?.removeEventListener('abort', leave);
          reject(error);
        },
      };
      this.#waiting.set(key, tickets);
      tickets.push(ticket);
      signal?.addEventListener('abort', leave, { once: true });
    });
  }

  /** In a full queue, whoever waits for most gives way to who waits for less. */
  #makeRoom(waiting: number): void {
    const all = [...this.#waiting];
    if (all.reduce((count, [, tickets]) => count + tickets.length, 0) < this.#queue) return;
    const [most, tickets = []] = all.toSorted(([, one], [, other]) => other.length - one.length)[0] ?? [];
    const last = tickets.length > waiting + 1 ? tickets.at(-1) : undefined;
    if (most === undefined || last === undefined)
      throw new Unavailable(`The server has too many git ${this.#name} waiting`, {
        detail: 'Try again in a minute',
        retryAfter: again,
      });
    this.#remove(most, last);
    last.refuse(this.#tooManyOf(most));
  }

  #remove(key: string, ticket: Ticket): void {
    const tickets = this.#waiting.get(key);
    const index = tickets?.indexOf(ticket) ?? -1;
    if (tickets === undefined || index < 0) return;
    tickets.splice(index, 1);
    if (tickets.length === 0) this.#waiting.delete(key);
  }

  #tooManyOf(key: string): Unavailable {
    const whose = key.startsWith('user:') ? 'your account' : 'your address';
    return new Unavailable(`Too many git ${this.#name} of ${whose} are waiting`, {
      detail: `At most ${this.#share.queue} of one caller wait at a time; try again in ${again} seconds`,
      retryAfter: again,
    });
  }
}
