// Parses times in request bodies.
import { parseInstant, ValidationFailed } from 'hexforge/plugin';

/** Parses a member of a body as a time that git can store. @throws {ValidationFailed} */
export function instant(field: string, text: string | undefined): Date | undefined {
  if (text === undefined) return undefined;
  const found = parseInstant(text);
  if (found !== undefined && found.getTime() >= 0) return found;
  throw new ValidationFailed('The request is not valid', {
    detail: `Field "${field}" must be a time such as 2026-01-31T12:00:00Z, of 1970 or later`,
  });
}
