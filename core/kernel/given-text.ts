// Checks texts that a plugin passes to a port. Those of a request are checked by the schema of its route.
import { isLonger } from './characters.ts';
import { ValidationFailed } from './errors.ts';

/** Checks that a text can be stored. @param most in characters. @throws {ValidationFailed} naming `field`. */
export function checkGivenText(field: string, given: unknown, most: number): void {
  const refused = (rule: string): ValidationFailed =>
    new ValidationFailed('The text is not valid', { detail: `"${field}" ${rule}` });
  if (typeof given !== 'string') throw refused('must be a text');
  if (isLonger(given, most)) throw refused(`has more than ${most} characters`);
  if (given.includes('\0') || !given.isWellFormed()) throw refused('has a character that cannot be stored');
}
