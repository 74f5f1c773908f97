// Types and texts of the examples of components.
import type { HtmlPiece } from 'hexforge/plugin';
import type * as ui from '../../ui/index.ts';

/** Exports of `hexforge/ui` that are used together with components. */
export const others = {
  checkTyped: 'refuses a deletion if something else was typed',
  dotted: 'pieces with dots between them',
  fileId: 'the id of the element of a changed file',
  inTurns: 'renders many things while other requests have their turn',
  plural: 'a count with its noun',
  onlyChanged: 'the values of a form that were changed',
  refusedIn: 'the refused form, if it is the one with this id',
  relativeTime: 'such as “yesterday”, as text',
  usernamesIn: 'the usernames in a field, with or without @',
  urlWith: 'the address of a page with other query parameters',
} as const;

/** The name of a component. */
export type Component = Exclude<keyof typeof ui, keyof typeof others>;

/** The states of a component, each with its name. */
export type States = Readonly<Record<string, HtmlPiece>>;

/** The components of a file of examples. */
export type Examples<Names extends Component> = Readonly<Record<Names, States>>;

/** A text that does not fit into a line, and has no place to break. */
export const longText = `a-very-long-name-${'without-a-space-'.repeat(10)}`;

/** A name from right to left, with a character that would reverse the text after it. */
export const bidiName = 'עדה \u{202e}evil';

/** Shown together, with space between them. */
export const together = (...all: readonly HtmlPiece[]): readonly HtmlPiece[] => all.map((one) => [one, ' ']);
