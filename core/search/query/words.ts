// The words of a text, as the search of documents compares them.

/** In scripts without blanks between words, each letter counts as one. */
const word =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[[\p{L}\p{N}\p{M}]--[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]]+/gv;

/** Runs of letters and digits of a folded text, in order. A phrase matches if its words follow each other. */
export const wordsIn = (text: string): readonly string[] => text.match(word) ?? [];
