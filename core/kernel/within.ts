// Waiting for what an answer can do without no longer than a time, while it goes on.

/** Milliseconds that an answer waits. */
const patienceMs = 1500;

/**
 * What `work` answers in time; undefined where it takes longer. Then it goes on, so that whoever asks again may have
 * what it remembers; its own bounds end it. Where the signal aborts first, so does the work's.
 *
 * @throws what `work` throws in time; the signal's reason.
 */
export async function within<T>(
  signal: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
  ms = patienceMs,
): Promise<T | undefined> {
  signal?.throwIfAborted();
  const own = new AbortController();
  const leave = (): void => own.abort(signal?.reason);
  signal?.addEventListener('abort', leave, { once: true });
  const over = AbortSignal.timeout(ms);
  const { promise: late, resolve: giveUp } = Promise.withResolvers<undefined>();
  const end = (): void => giveUp(undefined);
  over.addEventListener('abort', end, { once: true });
  const answer = work(own.signal);
  // After its time nobody hears of its failure.
  answer.catch(() => undefined);
  try {
    return await Promise.race([answer, late]);
  } finally {
    signal?.removeEventListener('abort', leave);
    over.removeEventListener('abort', end);
  }
}
