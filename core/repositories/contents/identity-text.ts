// Names and email addresses of authors and committers: cleans them as git does, and rejects those that git would
// change.
import { isLonger } from '#core/kernel/characters';
import { ValidationFailed } from '#core/kernel/errors';
import { trim } from '#core/kernel/trim';

/**
 * Removes the characters that git removes from a name or address: delimiters everywhere, and punctuation at both ends.
 */
export const identityText = (text: string): string =>
  trim(text.replaceAll(/[<>\p{Cc}]/gu, ''), (character) => /[\s.,:;"\\']/.test(character));

const longest = 255;

/** Checks a name or address that a caller gives. @throws {ValidationFailed} naming the field */
export function checkIdentity(field: string, text: string): string {
  if (text === '' || isLonger(text, longest) || text !== identityText(text)) {
    throw new ValidationFailed('The author is not allowed', {
      detail: `"${field}" must be text of at most ${longest} characters without < > and control characters, and begin and end with none of . , : ; " ' \\ or a space`,
    });
  }
  return text;
}
