// Lengths of texts as the API counts them: in Unicode code points.

/** A pair of surrogates is one character. */
export function characters(text: string): number {
  let count = text.length;
  for (let at = 0; at < text.length; at += 1) if (isPairAt(text, at)) count -= 1;
  return count;
}

/** Whether a text has more than `most` characters. */
export const isLonger = (text: string, most: number): boolean =>
  text.length > most && (text.length > 2 * most || characters(text) > most);

/** Whether a pair of surrogates begins at the offset. */
export function isPairAt(text: string, at: number): boolean {
  const first = text.charCodeAt(at);
  if (first < 0xd800 || first >= 0xdc00) return false;
  const second = text.charCodeAt(at + 1);
  return second >= 0xdc00 && second < 0xe000;
}
