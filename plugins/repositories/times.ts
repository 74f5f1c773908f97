// Parsing of times in queries and bodies of this plugin.
import { isDate, parseInstant, ValidationFailed } from 'hexforge/plugin';

/** A query parameter: a time, or a date. @param time of a date that comes without one. @throws {ValidationFailed} */
export function moment(field: string, text: string | undefined, time: string): Date | undefined {
  if (text === undefined) return undefined;
  const found = isDate(text) ? new Date(`${text}T${time}`) : parseInstant(text);
  if (found !== undefined) return found;
  throw new ValidationFailed('The request is not valid', {
    detail: `Query parameter "${field}" must be a date such as 2026-01-31, or a time such as 2026-01-31T12:00:00Z`,
  });
}

/** A member of a body: a time that git can keep. @throws {ValidationFailed} */
export function instant(field: string, text: string | undefined): Date | undefined {
  if (text === undefined) return undefined;
  const found = parseInstant(text);
  if (found !== undefined && found.getTime() >= 0) return found;
  throw new ValidationFailed('The request is not valid', {
    detail: `Field "${field}" must be a time such as 2026-01-31T12:00:00Z, of 1970 or later`,
  });
}
