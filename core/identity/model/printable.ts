// Texts from external providers, made fit for one line of a page or a column.

/** Without control characters and halves of surrogate pairs, trimmed, and cut to a number of UTF-16 code units. */
export const printable = (text: string, most: number): string =>
  text
    .slice(0, 4 * most)
    .toWellFormed()
    .replaceAll(/\p{C}/gu, '')
    .trim()
    .slice(0, most)
    .replace(/[\uD800-\uDBFF]$/, '');
