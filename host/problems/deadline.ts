// A time limit for one step of a plugin.

/** A step exceeded its time limit; it may still be running. */
export class TookTooLong extends Error {
  constructor(what: string, milliseconds: number) {
    super(`${what} took longer than ${milliseconds / 1000} s`);
    this.name = 'TookTooLong';
  }
}

/** Runs `work` with a time limit. @throws {TookTooLong} if it takes longer; its later outcome is ignored. */
export async function within<T>(milliseconds: number, what: string, work: () => T | Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new TookTooLong(what, milliseconds)), milliseconds);
  try {
    return await Promise.race([(async () => await work())(), promise]);
  } finally {
    clearTimeout(timer);
  }
}
