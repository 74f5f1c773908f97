// Words on pages: counts of things, and pieces with dots between them.
import { html, type HtmlPiece } from 'hexforge/plugin';

/**
 * A count with its noun.
 *
 * @example
 *   const files = plural(2, 'file'); // 2 files
 *   const more = plural(1, 'reply', 'replies'); // 1 reply
 */
export const plural = (count: number, one: string, several = `${one}s`): string =>
  `${count.toLocaleString('en')} ${count === 1 ? one : several}`;

/** Pieces with a dot between them; undefined and false ones are left out. */
export const dotted = (pieces: readonly HtmlPiece[]): readonly HtmlPiece[] =>
  pieces
    .filter((piece) => piece !== undefined && piece !== false)
    .map((piece, index) => (index === 0 ? piece : html` · ${piece}`));

/** The usernames in a field, separated by spaces or commas, with or without the `@` of a mention. */
export const usernamesIn = (typed = ''): readonly string[] =>
  typed
    .toLowerCase()
    .split(/[\s,]+/)
    .map((name) => name.replace(/^@/, ''))
    .filter((name) => name !== '');
