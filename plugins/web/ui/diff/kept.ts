// Keeps the rendered rows of diffs: the page of a diff is read again by all its readers after each comment.
import { Lru, type Html } from 'hexforge/plugin';
import type { HighlightedLines } from './lines.ts';

/** Bytes of all kept rows. A UTF-16 code unit takes two if one of the text is above U+00FF. */
const mostBytes = 16 * 1024 ** 2;
const kept = new Lru<Html>(mostBytes);

/** Numbers lists of lines, because those of a renderer that was late differ from later ones of the same file. */
const numbers = new WeakMap<object, number>();
let lastNumber = 0;

function numberOf(lines: readonly Html[] | undefined): number {
  if (lines === undefined) return 0;
  const number = numbers.get(lines) ?? (lastNumber += 1);
  numbers.set(lines, number);
  return number;
}

/** The rows with this key and these highlighted lines, which are rendered if they are not kept. */
export async function keptRows(
  key: readonly string[],
  highlighted: HighlightedLines | undefined,
  render: () => Promise<Html>,
): Promise<Html> {
  const whole = JSON.stringify([...key, numberOf(highlighted?.old), numberOf(highlighted?.new)]);
  const known = kept.get(whole);
  if (known !== undefined) return known;
  const rows = await render();
  kept.set(whole, rows, (whole.length + rows.text.length) * 2);
  return rows;
}
