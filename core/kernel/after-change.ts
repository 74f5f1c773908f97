// The answer to a change that stands: where it cannot be read, the change is not to be taken for refused.
import { HexforgeError, Unavailable, type ErrorKind } from './errors.ts';

/** By these nothing would have been done, had they come before the change. */
const refusals: ReadonlySet<ErrorKind> = new Set(['unavailable', 'insufficient_storage', 'timed_out']);

/**
 * What `read` answers of a change that is committed. That what was changed is gone since is no such failure: the 404 is
 * true, and stays.
 *
 * @example
 *   await afterChange('the label "bug"', () => labels.findOne({ name: 'bug' }));
 *
 * @param what to look at before the change is asked for again, such as `the repository "alice/code"`.
 * @throws {Unavailable} where it cannot be read now.
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
