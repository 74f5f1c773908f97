// A concurrency limiter with a bounded queue: a few calls run at once, the others wait in order.
import { Unavailable } from '#core/kernel/errors';

export interface LimiterOptions {
  readonly concurrent: number;
  /** How many may wait; who comes when as many do is refused. */
  readonly waiting: number;
  /** What the calls do, for the refusal. */
  readonly what: string;
}

/** Calls run in the order they came. @throws {Unavailable} when too many wait. */
export function limiter({ concurrent, waiting, what }: LimiterOptions): <T>(work: () => Promise<T>) => Promise<T> {
  let running = 0;
  const queue: (() => void)[] = [];
  return async (work) => {
    if (running >= concurrent) {
      if (queue.length >= waiting)
        throw new Unavailable(`Too many requests wait for ${what}`, { detail: 'Try again in a few seconds' });
      // The place of a call that ends passes on without becoming free, so a newcomer cannot take it.
      await new Promise<void>((resolve) => {
        queue.push(resolve);
      });
    } else running += 1;
    try {
      return await work();
    } finally {
      const next = queue.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
}
