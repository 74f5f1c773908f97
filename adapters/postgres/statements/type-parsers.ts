// Column type parsers shared by both engines, so that rows are equal on both.
import array from 'postgres-array';

/** An oid of `pg_type` → the parser of its text. */
export type TypeParsers = Readonly<Record<number, (text: string) => unknown>>;

/** A number if it is exact, otherwise the digits. */
const int8 = (text: string): number | string => {
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : text;
};

/** PostgreSQL writes `2026-11-21 14:46:43.1+00`, with the offset of its session; infinity stays text. */
const instant = (text: string): Date | string => {
  const iso = text.replace(' ', 'T');
  const date = new Date(iso.endsWith('+00') ? `${iso.slice(0, -3)}Z` : iso.replace(/([+-]\d\d)$/, '$1:00'));
  return Number.isNaN(date.getTime()) ? text : date;
};

const asText = (text: string): string => text;
const arrayOf =
  (read: (text: string) => unknown) =>
  (text: string): unknown =>
    array.parse(text, read);

/**
 * `timestamptz` becomes a Date and `int8` a number; a date, a timestamp without zone and an interval have no JavaScript
 * equivalent and stay text.
 */
export const typeParsers: TypeParsers = {
  20: int8,
  1016: arrayOf(int8),
  1184: instant,
  1185: arrayOf(instant),
  1082: asText,
  1182: arrayOf(asText), // date
  1114: asText,
  1115: arrayOf(asText), // timestamp
  1186: asText,
  1187: arrayOf(asText), // interval
};
