// The bounds of a check: how many run and wait, fairly between clients, and how long one takes.
import { Unavailable } from '#core/kernel/errors';
import { FairLimiter } from '#core/kernel/limits/fair-limiter';

/** Seconds after which clients should retry. */
const again = 5;

/** A client may use as many slots as it leaves free, and a quarter of the queue. */
export const limiterOf = ({ connections, queue }: { readonly connections: number; readonly queue: number }) =>
  new FairLimiter({
    slots: connections,
    queue,
    share: { slots: 'as-left', queue: Math.ceil(queue / 4) },
    now: () => performance.now(),
    refusal: () => new Busy('Too many sign-ins wait for the directory', { retryAfter: again }),
  });

/** Rejected because of the number of checks, not because of the directory. */
export class Busy extends Unavailable {}

/** Runs work with a signal that aborts after the time limit, and when one of the given signals aborts. */
export async function limited<T>(
  seconds: number,
  outer: readonly AbortSignal[],
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  for (const signal of outer) signal.throwIfAborted();
  const own = new AbortController();
  const leave = (): void => own.abort(outer.find(({ aborted }) => aborted)?.reason);
  for (const signal of outer) signal.addEventListener('abort', leave, { once: true });
  const refuse = (): void => own.abort(new Unavailable(`The directory did not answer within ${seconds} s`));
  // Answers that arrived while the event loop was blocked are read before the time limit counts.
  const timer = setTimeout(() => setImmediate(refuse), seconds * 1000);
  try {
    return await work(own.signal);
  } finally {
    clearTimeout(timer);
    for (const signal of outer) signal.removeEventListener('abort', leave);
  }
}
