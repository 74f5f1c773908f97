// The opaque cursor of a tool's list: where it was left, for whoever reads on.
import { ValidationFailed } from 'hexforge/plugin';

/** @template P what tells where in its order an item stands. */
export interface Cursor<P> {
  /** After the last of the items; null where there are no more. */
  next(items: readonly P[], more: boolean): string | null;
  /** @throws {ValidationFailed} where the tool gave no such cursor. */
  position(cursor: string | undefined): P | undefined;
}

/** @param read undefined where `write` makes no such text. */
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
