// The folded form of texts, in which they are compared: lower case, and composed letters (Unicode NFC).

const ascii = /^\p{ASCII}*$/u;

/** Combining marks in a row. Their normalisation takes time in the square of their number. */
const manyMarks = /\p{M}{30}/gu;
/** A mark that others are not reordered across (combining grapheme joiner), as in Unicode's Stream-Safe Text Format. */
const joiner = '\u034f';

/** Has as many lines as the text. NUL, which PostgreSQL cannot store, becomes a blank. */
export function folded(text: string): string {
  const lower = text.toLowerCase();
  return (ascii.test(lower) ? lower : lower.replaceAll(manyMarks, `$&${joiner}`).normalize('NFC')).replaceAll(
    '\0',
    ' ',
  );
}

const run = /[\p{L}\p{N}]{3}/u;

/** Whether an index of trigrams can find the folded text: it has three letters or digits in a row. */
export const isIndexable = (text: string): boolean => run.test(text);
