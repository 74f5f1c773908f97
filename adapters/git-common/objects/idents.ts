// Parses the names, addresses and dates of commits and tags as git does (split_ident_line), so that every answer about
// a commit has the same.
import { clip } from '#core/kernel/clipping';
import { trimEnd } from '#core/kernel/trim';
import { longest } from '#core/repositories/git/clipping';
import type { Signature } from '#core/repositories/git/git-history';
import { own } from './text.ts';

const latest = Date.UTC(9999, 11, 31, 23, 59, 59);
/** In seconds. git counts a date of this or more as overflowed. */
const overflow = 2 ** 63;

/** A signature with clipped texts. @param seconds digits; anything else is 1970. */
export const signatureOf = (name: string, email: string, seconds: string): Signature => ({
  name: own(clip(name, longest.name)),
  email: own(clip(email, longest.email)),
  date: dateOf(seconds),
});

/**
 * Parses `Name <email> 1700000000 +0000`: the email is between the first `<` and the next `>`, and the date follows the
 * last `>`. Without both delimiters the signature is empty. Without a time zone of a sign and digits the date is 1970.
 */
export function parseSignature(text: string): Signature {
  const from = text.indexOf('<');
  const to = from < 0 ? -1 : text.indexOf('>', from);
  if (to < 0) return signatureOf('', '', '');
  const date = /^[ \t\r]*(\d+)[ \t\r]*[+-]\d/.exec(text.slice(text.lastIndexOf('>') + 1));
  return signatureOf(trimEnd(text.slice(0, from), isBlank), text.slice(from + 1, to), date?.[1] ?? '');
}

/** Space that git trims; it has no other within a line. */
export const isBlank = (character: string): boolean => /[ \t\r]/.test(character);

/** A date from digits; 1970 without any, at most the end of year 9999. */
function dateOf(digits: string): Date {
  const seconds = Number(digits);
  return new Date(seconds < overflow ? Math.min(seconds * 1000, latest) : 0);
}
