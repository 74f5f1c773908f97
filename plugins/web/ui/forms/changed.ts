// The values that a form shows at first, so that only changed ones are written: two people who change different members
// of one thing then do not undo each other's changes.
import { html, type Html, type RefusedForm } from 'hexforge/plugin';
import { digestOf } from '../text/digest.ts';

type Value = string | number | boolean | null | undefined | readonly string[];
type Values = Readonly<Record<string, Value>>;

/** Browsers send line breaks as CRLF, and choices in the order of the page. */
const textOf = (value: Value): string =>
  Array.isArray(value) ? value.toSorted().join(' ') : String(value ?? '').replaceAll(/\r\n?/g, '\n');

/**
 * The hidden member `shown` of a form, with digests of its first values.
 *
 * @example
 *   const member = shownValues({ title: 'A change', points: 3 });
 *
 * @param refused the form that was refused: its first values are those of the page on which it was filled in.
 */
export function shownValues(values: Values, refused?: RefusedForm): Html {
  const sent = refused?.values['shown'];
  const marks = Object.entries(values).map(([name, value]) => `${name}:${digestOf(textOf(value))}`);
  return html`<input type="hidden" name="shown" value="${typeof sent === 'string' ? sent : marks.join(' ')}" />`;
}

/**
 * The members whose values differ from those that the form showed; all of them without `shown`.
 *
 * @example
 *   const body = onlyChanged({ title: 'Another change', points: 3 }, '');
 */
export function onlyChanged<const T extends Values>(values: T, shown: string | undefined): Partial<T> {
  const marks = new Set(shown?.split(' '));
  return Object.fromEntries(
    Object.entries(values).filter(([name, value]) => !marks.has(`${name}:${digestOf(textOf(value))}`)),
  ) as Partial<T>;
}
