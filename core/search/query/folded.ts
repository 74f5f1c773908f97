// The folded form of texts, in which they are compared: lower case, and composed letters (Unicode NFC).

const ascii = /^\p{ASCII}*$/u;

/** Has as many lines as the text. NUL, which PostgreSQL cannot store, becomes a blank. */
export function folded(text: string): string {
  const lower = text.toLowerCase();
  return (ascii.test(lower) ? lower : lower.normalize('NFC')).replaceAll('\0', ' ');
}

const run = /[\p{L}\p{N}]{3}/u;

/** Whether an index of trigrams can find the folded text: it has three letters or digits in a row. */
export const isIndexable = (text: string): boolean => run.test(text);
