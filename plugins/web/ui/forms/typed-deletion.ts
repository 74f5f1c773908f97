// The form that deletes something whose name is typed.
import { ValidationFailed, type Html, type HtmlPiece, type RefusedForm } from 'hexforge/plugin';
import { group, typedConfirmation } from '../disclosure.ts';

/**
 * A part of a page that deletes a thing. The form sends the typed name as `confirm`.
 *
 * @example
 *   const deletion = typedDeletion({
 *     form: 'bellDelete',
 *     action: '/-/x/bell/south/delete',
 *     noun: 'bell',
 *     about: 'It stops ringing.',
 *     typed: 'its name',
 *     refused: undefined,
 *   });
 */
export function typedDeletion({
  form,
  action,
  noun,
  about,
  typed,
  refused,
}: {
  /** The id of the form. */
  readonly form: string;
  readonly action: string;
  readonly noun: string;
  /** Its consequences, in one sentence. */
  readonly about: HtmlPiece;
  /** The text to type, such as `its name`. */
  readonly typed: string;
  readonly refused: RefusedForm | undefined;
}): Html {
  return group(
    `Delete the ${noun}`,
    about,
    typedConfirmation(`Delete the ${noun}…`, {
      form,
      action,
      name: 'confirm',
      asks: `Type ${typed} to confirm`,
      refused,
    }),
  );
}

/** Refuses a deletion if something else was typed. @throws {ValidationFailed} */
export function checkTyped(typed: string, expected: string, noun: string): void {
  if (typed !== expected)
    throw new ValidationFailed(`The ${noun} was not deleted`, { detail: `"confirm" must be ${expected}` });
}
