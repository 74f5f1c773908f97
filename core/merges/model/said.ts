// The texts of comments and reviews: Markdown, stored with HTML escaped.
import { characters, isLonger } from '#core/kernel/characters';
import { ValidationFailed } from '#core/kernel/errors';
import { htmlEntity } from '#core/kernel/html';

/** The most characters of one text in its stored form. */
export const longestText = 65_536;

/** Escapes HTML once. Unescaping the five entities gives back exactly what was sent, entities in it too. */
export const escaped = (text: string): string => text.replace(/[&<>"']/g, htmlEntity);

/** The text that was sent, from its stored form. The ampersand is last, so that entities that were sent remain. */
export const unescaped = (text: string): string =>
  [...'<>"\'&'].reduce((left, character) => left.replaceAll(htmlEntity(character), character), text);

/** @throws {ValidationFailed} if the escaped text is too long. */
export function keptText(text: string): string {
  const kept = escaped(text);
  if (!isLonger(kept, longestText)) return kept;
  throw new ValidationFailed('The text is too long', {
    detail: `"body" has ${characters(kept)} characters with its HTML escaped; ${longestText} are allowed`,
  });
}
