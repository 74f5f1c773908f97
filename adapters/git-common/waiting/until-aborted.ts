// Stops waiting when a signal is aborted, even if what is awaited does not respond.

/** @throws the signal's reason when it is aborted first; what `work` rejects with. */
export async function orAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  const aborted = Promise.withResolvers<never>();
  const leave = (): void => aborted.reject(signal?.reason);
  signal?.addEventListener('abort', leave, { once: true });
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal?.removeEventListener('abort', leave);
  }
}

export const untilAborted = <T>(source: AsyncIterator<T>, signal: AbortSignal): AsyncIterator<T> => ({
  next: async () => {
    signal.throwIfAborted();
    return await orAborted(source.next(), signal);
  },
});
