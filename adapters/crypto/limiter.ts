// A concurrency limiter with a bounded, fair queue: a few calls run at once, the others wait, and callers take turns.
import { Unavailable } from '#core/kernel/errors';

export interface LimiterOptions {
  readonly concurrent: number;
  /** How many may wait. Beyond it the latest of whoever has most waiting is refused. */
  readonly waiting: number;
  /** What the calls do, for the refusal. */
  readonly what: string;
}

interface Waiting {
  readonly start: () => void;
  readonly refuse: (error: Unavailable) => void;
}

/**
 * Runs calls in the order they came, those of different callers (`whose`) in turn.
 * @throws {Unavailable} when too many wait.
 */
export function limiter({
  concurrent,
  waiting,
  what,
}: LimiterOptions): <T>(work: () => Promise<T>, whose?: string) => Promise<T> {
  let running = 0;
  let queued = 0;
  /** Whose turn is next comes first. */
  const queues = new Map<string, Waiting[]>();

  const next = (): Waiting | undefined => {
    const [turn] = queues;
    if (turn === undefined) return undefined;
    const [whose, queue] = turn;
    const first = queue.shift();
    queued -= 1;
    queues.delete(whose);
    if (queue.length > 0) queues.set(whose, queue);
    return first;
  };

  /** Makes room for one more of `whose`, or throws. */
  const makeRoom = (whose: string): void => {
    const refusal = new Unavailable(`Too many requests wait for ${what}`, { detail: 'Try again in a few seconds' });
    const [longest, queue] = [...queues].reduce<[string, Waiting[]]>(
      (most, entry) => (entry[1].length > most[1].length ? entry : most),
      [whose, queues.get(whose) ?? []],
    );
    if (longest === whose || queue.length <= (queues.get(whose)?.length ?? 0) + 1) throw refusal;
    queued -= 1;
    queue.pop()?.refuse(refusal);
  };

  return async (work, whose = '') => {
    if (running >= concurrent) {
      if (queued >= waiting) makeRoom(whose);
      // The place of a call that ends passes on without becoming free, so a newcomer cannot take it.
      await new Promise<void>((start, refuse) => {
        const queue = queues.get(whose) ?? [];
        queue.push({ start, refuse });
        queues.set(whose, queue);
        queued += 1;
      });
    } else running += 1;
    try {
      return await work();
    } finally {
      const waiter = next();
      if (waiter === undefined) running -= 1;
      else waiter.start();
    }
  };
}
