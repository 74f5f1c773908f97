// A concurrency limiter (counting semaphore) whose places and bounded queue are shared fairly between callers: of those
// who wait, whoever has had the least is next (start-time fair queuing), counted in turns or in the time they took; and
// nobody takes more than a share while somebody else might come.

/** Places, and tickets in the queue. */
export interface Capacity {
  readonly places: number;
  readonly queue: number;
}

/**
 * Of one caller. `as-left`: no more places than it leaves free, so that one alone has half of them, two a third each,
 * and whoever comes next finds one, however few callers would take all.
 */
export interface Share {
  readonly places: number | 'as-left';
  readonly queue: number;
}

export interface FairLimiterOptions extends Capacity {
  /** Default: all. */
  readonly share?: Share;
  /**
   * Milliseconds from any moment on. With it, time counts beside turns: many who need a place for a moment do not each
   * wait for somebody who needs it long. Default: turns alone.
   */
  readonly now?: () => number;
  /** The refusal of somebody whose part of the queue is full; of anybody where all of it is. */
  readonly refusal: (whose: string | undefined) => Error;
}

interface Ticket {
  /** The moment of `now` when its holder came to wait. */
  readonly since: number;
  readonly enter: (release: () => void) => void;
  readonly refuse: (error: unknown) => void;
}

/** What a turn counts, beside the milliseconds that it takes. */
const turn = 1;

/** Milliseconds. A caller is so far behind others at most for what it has had: nothing is paid for without end. */
const longestDebt = 50;

/** Nobody's key: of the server's own work, which has no share but waits its turn. */
const own = '';

export class FairLimiter {
  readonly #queue: number;
  readonly #share: Share;
  readonly #refusal: (whose: string | undefined) => Error;
  readonly #now: () => number;
  readonly #holding = new Map<string, number>();
  /** By caller; of two who have had the same, the first is next. */
  readonly #waiting = new Map<string, Ticket[]>();
  /** Of whoever holds or waits: turns, and milliseconds of them, on top of what all had when it came. */
  readonly #had = new Map<string, number>();
  /** What those have had who were let in last: who comes now begins there. */
  #clock = 0;
  /** The tickets of all of them. */
  #queued = 0;
  #free: number;

  constructor({ places, queue, share = { places, queue }, refusal, now = () => 0 }: FairLimiterOptions) {
    this.#free = places;
    this.#queue = queue;
    this.#share = share;
    this.#refusal = refusal;
    this.#now = now;
  }

  /**
   * Waits for a place. The function it yields releases it; calling it again does nothing.
   * @param whose on whose behalf; empty for the server's own work.
   * @throws {Error} the refusal, when the queue or the caller's part of it is full, or when in a full one somebody
   * comes who waits for less; the signal's reason when it is aborted first; that of `refuseBefore`.
   */
  async acquire(whose = own, signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted();
    return this.attempt(whose) ?? this.#wait(whose, signal);
  }

  /** How many wait. */
  get waiting(): number {
    return this.#queued;
  }

  /** Refuses those who came to wait before a moment of `now`. */
  refuseBefore(moment: number, refusal: () => Error): void {
    for (const [whose, tickets] of this.#waiting) {
      const late = tickets.filter(({ since }) => since < moment);
      if (late.length === 0) continue;
      const left = tickets.filter(({ since }) => since >= moment);
      this.#queued -= late.length;
      if (left.length > 0) this.#waiting.set(whose, left);
      else {
        this.#waiting.delete(whose);
        this.#forget(whose);
      }
      for (const ticket of late) ticket.refuse(refusal());
    }
  }

  /** Takes a place where one is free, as `acquire` does; undefined where none is. */
  attempt(whose = own): (() => void) | undefined {
    if (this.#free === 0 || !this.#mayHoldMore(whose)) return undefined;
    this.#take(whose);
    return this.#held(whose);
  }

  async run<T>(work: () => Promise<T>, whose?: string, signal?: AbortSignal): Promise<T> {
    const release = await this.acquire(whose, signal);
    try {
      return await work();
    } finally {
      release();
    }
  }

  #held(whose: string): () => void {
    const since = this.#now();
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      this.#give(whose, this.#now() - since);
    };
  }

  #mayHoldMore(whose: string): boolean {
    const { places } = this.#share;
    return whose === own || (this.#holding.get(whose) ?? 0) < (places === 'as-left' ? this.#free : places);
  }

  #take(whose: string): void {
    this.#free -= 1;
    this.#holding.set(whose, (this.#holding.get(whose) ?? 0) + 1);
    this.#had.set(whose, this.#hadBy(whose) + turn);
  }

  #hadBy(whose: string): number {
    return this.#had.get(whose) ?? this.#clock;
  }

  /** The place passes on at once, so that no newcomer takes it; as may others that its holder leaves free. */
  #give(whose: string, milliseconds: number): void {
    this.#had.set(whose, Math.min(this.#hadBy(whose) + milliseconds, this.#clock + longestDebt));
    this.#free += 1;
    const held = (this.#holding.get(whose) ?? 0) - 1;
    if (held > 0) this.#holding.set(whose, held);
    else this.#holding.delete(whose);
    while (this.#free > 0 && this.#letIn());
    this.#forget(whose);
  }

  #forget(whose: string): void {
    if (!this.#holding.has(whose) && !this.#waiting.has(whose)) this.#had.delete(whose);
  }

  /** Whoever is next and may hold more; false where nobody is. */
  #letIn(): boolean {
    const next = this.#next();
    if (next === undefined) return false;
    const tickets = this.#waiting.get(next) ?? [];
    const ticket = tickets.shift();
    this.#queued -= 1;
    this.#waiting.delete(next);
    if (tickets.length > 0) this.#waiting.set(next, tickets);
    // It goes on by a little at least: whoever was let in before is not behind those who come later for ever.
    this.#clock = Math.max(this.#clock + turn / this.#had.size, this.#hadBy(next));
    this.#take(next);
    ticket?.enter(this.#held(next));
    return true;
  }

  #next(): string | undefined {
    let next: string | undefined;
    for (const whose of this.#waiting.keys())
      if (this.#mayHoldMore(whose) && (next === undefined || this.#hadBy(whose) < this.#hadBy(next))) next = whose;
    return next;
  }

  #wait(whose: string, signal: AbortSignal | undefined): Promise<() => void> {
    const tickets = this.#waiting.get(whose) ?? [];
    if (whose !== own && tickets.length >= this.#share.queue) throw this.#refusal(whose);
    this.#makeRoom(tickets.length);
    this.#had.set(whose, this.#hadBy(whose));
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        this.#remove(whose, ticket);
        reject(signal?.reason);
      };
      const ticket: Ticket = {
        since: this.#now(),
        enter: (release) => {
          signal?.removeEventListener('abort', leave);
          resolve(release);
        },
        refuse: (error) => {
          signal?.removeEventListener('abort', leave);
          reject(error);
        },
      };
      this.#waiting.set(whose, tickets);
      tickets.push(ticket);
      this.#queued += 1;
      signal?.addEventListener('abort', leave, { once: true });
    });
  }

  /** In a full queue, whoever waits for most gives way to who waits for less. */
  #makeRoom(waiting: number): void {
    if (this.#queued < this.#queue) return;
    const [most, tickets = []] =
      [...this.#waiting].toSorted(([, one], [, other]) => other.length - one.length)[0] ?? [];
    const last = tickets.length > waiting + 1 ? tickets.at(-1) : undefined;
    if (most === undefined || last === undefined) throw this.#refusal(undefined);
    this.#remove(most, last);
    last.refuse(this.#refusal(most));
  }

  #remove(whose: string, ticket: Ticket): void {
    const tickets = this.#waiting.get(whose);
    const index = tickets?.indexOf(ticket) ?? -1;
    if (tickets === undefined || index < 0) return;
    tickets.splice(index, 1);
    this.#queued -= 1;
    if (tickets.length > 0) return;
    this.#waiting.delete(whose);
    this.#forget(whose);
  }
}
