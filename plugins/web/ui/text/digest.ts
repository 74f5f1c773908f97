// A short digest of a text, for ids of elements and marks of values. It does not resist collisions made on purpose.

/** Two hashes of the text, in base 36. */
export function digestOf(text: string): string {
  let [one, other] = [2_166_136_261, 5381];
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    one = Math.imul(one ^ code, 16_777_619);
    other = Math.imul(other, 33) ^ code;
  }
  return `${(one >>> 0).toString(36)}${(other >>> 0).toString(36)}`;
}
