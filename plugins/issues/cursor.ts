// The opaque cursor of a tool's list, which marks where the next call continues.
import { ValidationFailed } from 'hexforge/plugin';

/** @template P The position of an item in the order of the list. */
export interface Cursor<P> {
  /** A cursor after the last of the items; null if there are no more. */
  next(items: readonly P[], more: boolean): string | null;
  /**
   * The position in a cursor; undefined without a cursor. @throws {ValidationFailed} if this tool did not make the
   * cursor.
   */
  position(cursor: string | undefined): P | undefined;
}

/** @param read Parses the text of `write`; returns undefined for any other text. */
export const cursor = <P>(
  tool: string,
  { write, read }: { readonly write: (item: P) => string; readonly read: (text: string) => P | undefined },
): Cursor<P> => ({
  next(items, more) {
    const last = items.at(-1);
    return more && last !== undefined ? Buffer.from(`${tool} ${write(last)}`).toString('base64url') : null;
  },
  position(given) {
    if (given === undefined) return undefined;
    const text = Buffer.from(given, 'base64url').toString();
    const position = text.startsWith(`${tool} `) ? read(text.slice(tool.length + 1)) : undefined;
    if (position !== undefined) return position;
    throw new ValidationFailed(`The cursor is none that ${tool} gave`, {
      detail: 'Leave "cursor" out to begin anew, or send the "next_cursor" of the answer before',
    });
  },
});
