// A timeout around a step that a plugin takes.

/** A step that did not end in time; it may still be running. */
export class TookTooLong extends Error {
  constructor(what: string, milliseconds: number) {
    super(`${what} took longer than ${milliseconds / 1000} s`);
    this.name = 'TookTooLong';
  }
}

/** The outcome of `work`, or TookTooLong. What `work` does after its time is ignored. */
export async function within<T>(milliseconds: number, what: string, work: () => T | Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new TookTooLong(what, milliseconds)), milliseconds);
  try {
    return await Promise.race([(async () => await work())(), promise]);
  } finally {
    clearTimeout(timer);
  }
}
