// Timestamps as clients write them: RFC 3339, section 5.6.
import { ValidationFailed } from './errors.ts';

const rfc3339 =
  /^(\d{4}-\d{2}-\d{2})[Tt](?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:[Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;
const last = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** Undefined for what is no such time, or is none of the years 0 to 9999 in UTC. */
export function parseInstant(text: string): Date | undefined {
  const date = rfc3339.exec(text)?.[1];
  if (date === undefined || !isDate(date)) return undefined;
  const found = new Date(text.toUpperCase());
  return found.getTime() <= last && found.getUTCFullYear() >= 0 ? found : undefined;
}

/** A day of the calendar such as 2026-01-31. Parsing alone takes the 31st of February for a day in March. */
export function isDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const found = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(found.getTime()) && found.toISOString().startsWith(text);
}

/**
 * A query parameter: a time, or a date.
 * @param time of a date that comes without one: `00:00:00Z`. @throws {ValidationFailed}
 */
export function moment(field: string, text: string | undefined, time: string): Date | undefined {
  if (text === undefined) return undefined;
  const found = isDate(text) ? new Date(`${text}T${time}`) : parseInstant(text);
  if (found !== undefined) return found;
  throw new ValidationFailed('The request is not valid', {
    detail: `Query parameter "${field}" must be a date such as 2026-01-31, or a time such as 2026-01-31T12:00:00Z`,
  });
}
