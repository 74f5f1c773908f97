// Ready-made parts of tools that return lists: the arguments `limit` and `cursor`, and cursors.
import { count, maybe, orNull, word } from '#adapters/http/descriptor/shape';
import { ValidationFailed } from '#core/kernel/errors';

/** How a cursor names the position of an item in the order of a list. */
export interface Position<P> {
  readonly write: (item: P) => string;
  /** Parses the text of `write`; returns undefined for any other text. */
  readonly read: (text: string) => P | undefined;
}

/** Makes and reads the cursors of one list. */
export interface ListCursor<P> {
  /** A cursor after the last of the items; null if there are no more. */
  next(items: readonly P[], more: boolean): string | null;
  /** The position in a cursor; undefined without one. @throws {ValidationFailed} if this list did not make it. */
  position(given: string | undefined): P | undefined;
}

/**
 * The opaque cursor of a tool's list, which marks where the next call continues. It has the position of the last item,
 * so that a list does not shift when items are added or removed. Cursors are not secret and not signed: `read` must
 * reject every position that a caller may not ask for.
 *
 * @example
 *   const cursors = listCursor<{ readonly name: string }>('list_bells', {
 *     write: ({ name }) => name,
 *     read: (name) => ({ name }),
 *   });
 *   const next: string | null = cursors.next([{ name: 'big' }], true);
 *
 * @param tool the name of the tool.
 */
export function listCursor<P>(tool: string, { write, read }: Position<P>): ListCursor<P> {
  return {
    next(items, more) {
      const last = items.at(-1);
      return more && last !== undefined ? Buffer.from(`${tool} ${write(last)}`).toString('base64url') : null;
    },
    position(given) {
      if (given === undefined) return undefined;
      const text = Buffer.from(given, 'base64url').toString();
      // Other texts with the same bytes are not what `next` returned.
      const own = Buffer.from(text).toString('base64url') === given && text.startsWith(`${tool} `);
      const position = own ? read(text.slice(tool.length + 1)) : undefined;
      if (position !== undefined) return position;
      throw new ValidationFailed(`The cursor is none that ${tool} gave`, {
        detail: 'Leave "cursor" out to begin anew, or send the "next_cursor" of the answer before',
      });
    },
  };
}

/** The argument `limit` of a tool that returns a list. */
export const listLimit = () => count().min(1).max(100).default(30).description('1 to 100; default 30');

/** The argument `cursor` of a tool that returns a list. */
export const cursorArgument = () => maybe(word().max(1024).description('"next_cursor" of the answer before'));

/** The member `next_cursor` of a result with a list. */
export const nextCursor = () => orNull(word()).description('Send it as "cursor" to read on; null: this is the end');
