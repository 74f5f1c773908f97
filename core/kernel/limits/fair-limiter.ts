// Concurrency limits that are shared fairly between callers: a limiter with several slots, and mutexes by key.
import { Unavailable } from '../errors.ts';

/** The number of slots, and the maximum number of queued requests. */
export interface Capacity {
  readonly slots: number;
  readonly queue: number;
}

/**
 * The largest part of the slots and of the queue that one caller may use. With `as-left`, a caller may hold at most as
 * many slots as are left free: a single caller gets half of them, two get a third each, so that a further caller
 * usually finds a free slot.
 */
export interface Share {
  readonly slots: number | 'as-left';
  readonly queue: number;
}

export interface FairLimiterOptions extends Capacity {
  /** Default: no limit per caller. */
  readonly share?: Share;
  /**
   * Returns milliseconds since any fixed moment. If given, the time that slots are held counts in addition to their
   * number, so that callers that hold slots briefly do not each wait for one that holds them long. Default: only the
   * number of slots counts.
   */
  readonly now?: () => number;
  /**
   * Builds the rejection error. `callerKey` is set if the caller's share of the queue is full, undefined if the whole
   * queue is full.
   */
  readonly refusal: (callerKey: string | undefined) => Error;
}

interface Ticket {
  /** When the request was queued, in milliseconds of `now`. */
  readonly since: number;
  readonly enter: (release: () => void) => void;
  readonly refuse: (error: unknown) => void;
}

/** The cost of one slot, in addition to the milliseconds that it is held. */
const turn = 1;

/**
 * Milliseconds. A caller's usage exceeds the clock by at most this much, so that past usage does not delay it for long.
 */
const longestDebt = 50;

/** The key of the server's own work. It has no share limit, but is queued like a caller. */
const own = '';

/**
 * A concurrency limiter whose slots and bounded queue are shared between callers by start-time fair queuing. The next
 * slot is given to the waiting caller that has used the least. Use is counted in slots, or in slots and time. No caller
 * may use more than its share.
 */
export class FairLimiter {
  readonly #queue: number;
  readonly #share: Share;
  readonly #refusal: (callerKey: string | undefined) => Error;
  readonly #now: () => number;
  readonly #holding = new Map<string, number>();
  /** Queued requests by caller key. If two callers have used the same amount, the first in the map is next. */
  readonly #waiting = new Map<string, Ticket[]>();
  /** Usage of each caller that holds slots or waits: slots and milliseconds, plus the clock when the caller arrived. */
  readonly #had = new Map<string, number>();
  /** The virtual time: the usage of the caller admitted last. The usage of a new caller starts at this value. */
  #clock = 0;
  /** The number of queued requests of all callers. */
  #queued = 0;
  #free: number;

  constructor({ slots, queue, share = { slots, queue }, refusal, now = () => 0 }: FairLimiterOptions) {
    this.#free = slots;
    this.#queue = queue;
    this.#share = share;
    this.#refusal = refusal;
    this.#now = now;
  }

  /**
   * Waits for a slot.
   * @param whose the caller key; empty for the server's own work.
   * @returns a function that releases the slot. Further calls of it have no effect.
   * @throws {Error} the rejection, if the queue or the caller's share of it is full, or if the queue is full and a
   * caller with fewer queued requests replaces this one; the signal's reason if it aborts first; the error of
   * `refuseBefore`.
   */
  async acquire(callerKey = own, signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted();
    return this.attempt(callerKey) ?? this.#wait(callerKey, signal);
  }

  /** The number of queued requests. */
  get waiting(): number {
    return this.#queued;
  }

  /** Rejects every request that was queued before the given moment of `now`. */
  refuseBefore(moment: number, refusal: () => Error): void {
    for (const [callerKey, tickets] of this.#waiting) {
      const late = tickets.filter(({ since }) => since < moment);
      if (late.length === 0) continue;
      const left = tickets.filter(({ since }) => since >= moment);
      this.#queued -= late.length;
      if (left.length > 0) this.#waiting.set(callerKey, left);
      else {
        this.#waiting.delete(callerKey);
        this.#forget(callerKey);
      }
      for (const ticket of late) ticket.refuse(refusal());
    }
  }

  /** Takes a slot if one is free and the caller may hold it; otherwise returns undefined. Never waits. */
  attempt(callerKey = own): (() => void) | undefined {
    if (this.#free === 0 || !this.#mayHoldMore(callerKey)) return undefined;
    this.#take(callerKey);
    return this.#held(callerKey);
  }

  async run<T>(work: () => Promise<T>, callerKey?: string, signal?: AbortSignal): Promise<T> {
    const release = await this.acquire(callerKey, signal);
    try {
      return await work();
    } finally {
      release();
    }
  }

  #held(callerKey: string): () => void {
    const since = this.#now();
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      this.#give(callerKey, this.#now() - since);
    };
  }

  #mayHoldMore(callerKey: string): boolean {
    const { slots } = this.#share;
    return callerKey === own || (this.#holding.get(callerKey) ?? 0) < (slots === 'as-left' ? this.#free : slots);
  }

  #take(callerKey: string): void {
    this.#free -= 1;
    this.#holding.set(callerKey, (this.#holding.get(callerKey) ?? 0) + 1);
    this.#had.set(callerKey, this.#hadBy(callerKey) + turn);
  }

  #hadBy(callerKey: string): number {
    return this.#had.get(callerKey) ?? this.#clock;
  }

  /** Frees a slot and admits the next waiting callers at once, so that no new request takes the slot first. */
  #give(callerKey: string, milliseconds: number): void {
    this.#had.set(callerKey, Math.min(this.#hadBy(callerKey) + milliseconds, this.#clock + longestDebt));
    this.#free += 1;
    const held = (this.#holding.get(callerKey) ?? 0) - 1;
    if (held > 0) this.#holding.set(callerKey, held);
    else this.#holding.delete(callerKey);
    while (this.#free > 0 && this.#letIn());
    this.#forget(callerKey);
  }

  #forget(callerKey: string): void {
    if (!this.#holding.has(callerKey) && !this.#waiting.has(callerKey)) this.#had.delete(callerKey);
  }

  /** Admits the next waiting caller that may hold another slot; returns false if no caller can be admitted. */
  #letIn(): boolean {
    const next = this.#next();
    if (next === undefined) return false;
    const tickets = this.#waiting.get(next) ?? [];
    const ticket = tickets.shift();
    this.#queued -= 1;
    this.#waiting.delete(next);
    if (tickets.length > 0) this.#waiting.set(next, tickets);
    // Advances by a minimum amount, so that callers admitted earlier do not stay behind new callers forever.
    this.#clock = Math.max(this.#clock + turn / this.#had.size, this.#hadBy(next));
    this.#take(next);
    ticket?.enter(this.#held(next));
    return true;
  }

  #next(): string | undefined {
    let next: string | undefined;
    for (const callerKey of this.#waiting.keys())
      if (this.#mayHoldMore(callerKey) && (next === undefined || this.#hadBy(callerKey) < this.#hadBy(next)))
        next = callerKey;
    return next;
  }

  #wait(callerKey: string, signal: AbortSignal | undefined): Promise<() => void> {
    const tickets = this.#waiting.get(callerKey) ?? [];
    if (callerKey !== own && tickets.length >= this.#share.queue) throw this.#refusal(callerKey);
    this.#makeRoom(tickets.length);
    this.#had.set(callerKey, this.#hadBy(callerKey));
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        this.#remove(callerKey, ticket);
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
      this.#waiting.set(callerKey, tickets);
      tickets.push(ticket);
      this.#queued += 1;
      signal?.addEventListener('abort', leave, { once: true });
    });
  }

  /**
   * If the queue is full, evicts the last request of the caller with the most queued requests, or rejects the new
   * request if its own caller has about as many.
   */
  #makeRoom(waiting: number): void {
    if (this.#queued < this.#queue) return;
    const [most, tickets = []] =
      [...this.#waiting].toSorted(([, one], [, other]) => other.length - one.length)[0] ?? [];
    const last = tickets.length > waiting + 1 ? tickets.at(-1) : undefined;
    if (most === undefined || last === undefined) throw this.#refusal(undefined);
    this.#remove(most, last);
    last.refuse(this.#refusal(most));
  }

  #remove(callerKey: string, ticket: Ticket): void {
    const tickets = this.#waiting.get(callerKey);
    const index = tickets?.indexOf(ticket) ?? -1;
    if (tickets === undefined || index < 0) return;
    tickets.splice(index, 1);
    this.#queued -= 1;
    if (tickets.length > 0) return;
    this.#waiting.delete(callerKey);
    this.#forget(callerKey);
  }
}

/** Maximum number of requests that wait for one key, in total and per caller. */
const mutexQueue = { all: 5000, caller: 500 } as const;

/** A keyed mutex whose bounded queues are shared fairly between callers. */
export class FairMutex {
  readonly #caller: () => string | undefined;
  /** Contains only keys that are held or waited for. */
  readonly #keys = new Map<string, { readonly limiter: FairLimiter; users: number }>();

  /** @param caller returns the current caller key; undefined for the server's own work. */
  constructor(caller: () => string | undefined = () => undefined) {
    this.#caller = caller;
  }

  /**
   * Runs `work` while holding the key, and always releases it afterwards.
   * @throws {Unavailable} if the queue is full; the signal's reason if it aborts during the wait.
   */
  async run<T>(key: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const held = this.#keys.get(key) ?? { limiter: oneAtATime(), users: 0 };
    this.#keys.set(key, held);
    held.users += 1;
    try {
      return await held.limiter.run(work, this.#caller(), signal);
    } finally {
      held.users -= 1;
      if (held.users === 0) this.#keys.delete(key);
    }
  }
}

const oneAtATime = (): FairLimiter =>
  new FairLimiter({
    slots: 1,
    queue: mutexQueue.all,
    share: { slots: 1, queue: mutexQueue.caller },
    refusal: (callerKey) =>
      new Unavailable(`Too many changes${callerKey === undefined ? '' : ' of yours'} wait for the same thing`, {
        detail: 'Try again in a few seconds',
        retryAfter: 5,
      }),
  });

/** A keyed mutex without callers: work that waits for the same key runs in the order of the calls. */
export class KeyedMutex {
  /** Key → the end of its queue. Contains only keys that are held. */
  readonly #tails = new Map<string, Promise<void>>();

  /** Runs `work` while holding the key, and always releases it afterwards. */
  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#tails.get(key);
    const { promise: mine, resolve: release } = Promise.withResolvers<void>();
    this.#tails.set(key, mine);
    await before;
    try {
      return await work();
    } finally {
      if (this.#tails.get(key) === mine) this.#tails.delete(key);
      release();
    }
  }
}
