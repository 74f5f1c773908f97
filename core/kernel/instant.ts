// Parses timestamps of clients (RFC 3339, section 5.6).
import { ValidationFailed } from './errors.ts';

const rfc3339 =
  /^(\d{4}-\d{2}-\d{2})[Tt](?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:[Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;
const last = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** Returns undefined if the text is not a valid timestamp, or its year in UTC is not between 0 and 9999. */
export function parseInstant(text: string): Date | undefined {
  const date = rfc3339.exec(text)?.[1];
  if (date === undefined || !isDate(date)) return undefined;
  const found = new Date(text.toUpperCase());
  return found.getTime() <= last && found.getUTCFullYear() >= 0 ? found : undefined;
}

/**
 * Whether the text is an existing calendar date such as 2026-01-31. `Date` alone accepts 31 February as a day in March.
 */
export function isDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const found = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(found.getTime()) && found.toISOString().startsWith(text);
}

/**
 * Parses a query parameter that is a timestamp or a date.
 * @param time the time used for a date, such as `00:00:00Z`. @throws {ValidationFailed}
 */
export function moment(field: string, text: string | undefined, time: string): Date | undefined {
  if (text === undefined) return undefined;
  const found = isDate(text) ? new Date(`${text}T${time}`) : parseInstant(text);
  if (found !== undefined) return found;
  throw new ValidationFailed('The request is not valid', {
    detail: `Query parameter "${field}" must be a date such as 2026-01-31, or a time such as 2026-01-31T12:00:00Z`,
  });
}
