// Limits the wait for an optional part of a response, while its computation continues.

/** Default time limit in milliseconds. */
const timeLimitMs = 1500;

/**
 * Returns the result of `work`; undefined if it takes longer than the time limit. It then continues, so that a later
 * request may find its cached result; its own limits end it. If the signal aborts, `work` is aborted too.
 * @throws the error of `work` if it fails in time; the signal's reason.
 */
export async function within<T>(
  signal: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
  ms = timeLimitMs,
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
  // A failure after the time limit must not become an unhandled rejection.
  answer.catch(() => undefined);
  try {
    return await Promise.race([answer, late]);
  } finally {
    signal?.removeEventListener('abort', leave);
    over.removeEventListener('abort', end);
  }
}
