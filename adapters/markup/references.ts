// Finds possible references in text: `#12`, `!34`, `@name` and ids of commits.
import type { Reference } from './tasks.ts';

const reference =
  /(?<![\p{L}\p{N}_/#!@.&=-])(?:([#!])([1-9]\d{0,8})|@([a-z0-9](?:[a-z0-9._-]{0,37}[a-z0-9_-])?)|([0-9a-f]{7,40}))(?![\p{L}\p{N}_-])/giu;

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
  for (const match of text.matchAll(reference)) {
    const [whole, sign, number, name, oid] = match;
    if (references.length >= most) break;
    if (name === undefined && (!all || (oid !== undefined && !looksLikeId(oid)))) continue;
    texts.push(text.slice(from, match.index));
    references.push(
      name === undefined
        ? number === undefined
          ? { sign: '', value: oid ?? '' }
          : { sign: sign === '#' ? '#' : '!', value: number }
        : { sign: '@', value: name },
    );
    from = match.index + whole.length;
  }
  texts.push(text.slice(from));
  return { texts, references };
}
