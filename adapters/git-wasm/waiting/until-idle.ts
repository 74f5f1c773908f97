// Stops waiting for a sender that has stopped sending.

/** A source whose reader is rejected if nothing arrives for some time. */
export const untilIdle = <T>(source: AsyncIterator<T>, seconds: number, refusal: () => Error): AsyncIterator<T> => ({
  next: async () => {
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(() => late.reject(refusal()), seconds * 1000).unref();
    try {
      return await Promise.race([source.next(), late.promise]);
    } finally {
      clearTimeout(timer);
    }
  },
});
