// Names and addresses as they stand in a commit: what git leaves of them, and which are refused.
import { ValidationFailed } from '#core/kernel/errors';
import { trim } from '#core/kernel/trim';

/** What git leaves of a name or an address: nothing that ends it, none of the marks it drops at either end. */
export const identityText = (text: string): string =>
  trim(text.replaceAll(/[<>\p{Cc}]/gu, ''), (character) => /[\s.,:;"\\']/.test(character));

/** One that a caller gives. @throws {ValidationFailed} naming the field */
export function checkIdentity(field: string, text: string): string {
  if (text === '' || text.length > 255 || text !== identityText(text)) {
    throw new ValidationFailed('The author is not allowed', {
      detail: `"${field}" must be text of at most 255 characters without < > and control characters, and begin and end with none of . , : ; " ' \\ or a space`,
    });
  }
  return text;
}
