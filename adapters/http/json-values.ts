// Counts the values of a JSON text before it is parsed: what is made of bytes, and checked, costs far more than bytes.
const quote = 0x22;
const comma = 0x2c;
const openBracket = 0x5b;
const backslash = 0x5c;
const openBrace = 0x7b;

/**
 * Whether a JSON text has more than so many values, at every depth: each stands after an opening bracket or a comma
 * outside of strings. An empty list or object counts as two. Reads no further than it must.
 */
export function hasMoreValues(bytes: Uint8Array, most: number): boolean {
  let values = 1;
  let inString = false;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === quote) inString = !inString;
    else if (inString) at += byte === backslash ? 1 : 0;
    else if (byte === comma || byte === openBracket || byte === openBrace) {
      values += 1;
      if (values > most) return true;
    }
  }
  return false;
}
