// Finds possible references in text: `#12`, `!34`, `@name` and ids of commits.
import type { Reference } from './tasks.ts';

/** A run of characters that belong together: `a#1`, a path and an address contain no reference. */
const run = /[\p{L}\p{N}_/#!@.&=-]+/gu;
const kinds: readonly (readonly [RegExp, Reference['sign']])[] = [
  [/^#[1-9]\d{0,8}$/, '#'],
  [/^![1-9]\d{0,8}$/, '!'],
  [/^@[a-z0-9][a-z0-9._-]{0,38}$/i, '@'],
  [/^[0-9a-f]{7,40}$/i, ''],
];

/** Punctuation at the end of a sentence. */
const marks = '.!&=-/';
function withoutMarks(word: string): string {
  let end = word.length;
  while (end > 0 && marks.includes(word.charAt(end - 1))) end -= 1;
  return word.slice(0, end);
}

/** Words such as “effaced” and dates such as 20260501 are no ids. */
const looksLikeId = (digits: string): boolean => digits.length === 40 || (/[a-f]/i.test(digits) && /\d/.test(digits));

/**
 * Cuts a text at its references.
 * @param most references; further ones stay text.
 * @param all whether the text is in a repository; otherwise only users are looked for.
 */
export function cutAtReferences(
  text: string,
  most: number,
  all: boolean,
): { readonly texts: readonly string[]; readonly references: readonly Reference[] } {
  const texts: string[] = [];
  const references: Reference[] = [];
  let from = 0;
  for (const match of text.matchAll(run)) {
    if (references.length >= most) break;
    const word = withoutMarks(match[0]);
    const sign = kinds.find(([pattern]) => pattern.test(word))?.[1];
    if (sign === undefined || (sign !== '@' && !all) || (sign === '' && !looksLikeId(word))) continue;
    texts.push(text.slice(from, match.index));
    references.push({ sign, value: word.slice(sign.length) });
    from = match.index + word.length;
  }
  texts.push(text.slice(from));
  return { texts, references };
}
