// Reads the response to a committed change. A read failure must not look as if the change was rejected.
import { HexforgeError, Unavailable, type ErrorKind } from '../errors.ts';

/** Kinds of errors that, before the change, would mean that nothing was done. */
const refusals: ReadonlySet<ErrorKind> = new Set(['unavailable', 'insufficient_storage', 'timed_out']);

/**
 * Returns the result of `read` after a committed change. A 404 is passed on unchanged, because the changed resource may
 * have been deleted since.
 *
 * @example
 *   await afterChange('the label "bug"', () => labels.findOne({ name: 'bug' }));
 *
 * @param what names what to look at before repeating the change, such as `the repository "alice/code"`.
 * @throws {Unavailable} if the result cannot be read now.
 */
export async function afterChange<T>(what: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (cause) {
    if (!(cause instanceof HexforgeError && refusals.has(cause.kind))) throw cause;
    throw new Unavailable('The change was made, but what came of it cannot be shown now', {
      detail: `Look at ${what} before you try again: ${cause.message}`,
      cause,
    });
  }
}
