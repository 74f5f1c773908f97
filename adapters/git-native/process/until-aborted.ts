// An async iterator that rejects when a signal is aborted, even if its source does not respond.

export function untilAborted<T>(source: AsyncIterator<T>, signal: AbortSignal): AsyncIterator<T> {
  return {
    next: async () => {
      signal.throwIfAborted();
      const aborted = Promise.withResolvers<never>();
      const leave = (): void => aborted.reject(signal.reason);
      signal.addEventListener('abort', leave, { once: true });
      try {
        return await Promise.race([source.next(), aborted.promise]);
      } finally {
        signal.removeEventListener('abort', leave);
      }
    },
  };
}
