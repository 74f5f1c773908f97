// What people say of a merge request, in comments and reviews: Markdown, kept with its HTML escaped.
import { ValidationFailed } from '#core/kernel/errors';
import { htmlEntity } from '#core/kernel/html';

/** Characters of one text, as it is kept. */
export const longestText = 65_536;

/**
 * Document B, "Comments": stored with HTML entities escaped. An entity that is one of these already stays as it is, so
 * that a client which edits what it has read sends it back without its growing.
 */
export const escaped = (text: string): string => text.replace(/&(?!(?:amp|lt|gt|quot|#39);)|[<>"']/g, htmlEntity);

/** @throws {ValidationFailed} for one that is too long once it is escaped. */
export function keptText(text: string): string {
  const kept = escaped(text);
  if (kept.length <= longestText) return kept;
  throw new ValidationFailed('The text is too long', {
    detail: `"body" has ${kept.length} characters with its HTML escaped; ${longestText} are allowed`,
  });
}
