// Counts the values of a JSON text before it is parsed: parsed and validated values cost far more than their bytes.
import { backslashesBefore } from './json-slices.ts';

const quote = 0x22;
const comma = 0x2c;
const openBracket = 0x5b;
const backslash = 0x5c;
const openBrace = 0x7b;
/**
 * Bytes of a string that are scanned one by one before `indexOf` searches for the next quote: each search has a fixed
 * cost.
 */
const stretch = 64;

/**
 * Whether a JSON text has more than `most` values, at every depth. Counts opening brackets and commas outside of
 * strings, so an empty list or object counts as two. Stops as soon as the bound is exceeded.
 */
export function hasMoreValues(bytes: Uint8Array, most: number): boolean {
  let values = 1;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === quote) at = endOfString(bytes, at + 1);
    else if (byte === comma || byte === openBracket || byte === openBrace) {
      values += 1;
      if (values > most) return true;
    }
  }
  return false;
}

/** The position of the quote that ends a string, or the end of the text. */
function endOfString(bytes: Uint8Array, from: number): number {
  let searchFrom = from + stretch;
  for (let at = from; at < bytes.length; at += 1) {
    if (at >= searchFrom) {
      const next = bytes.indexOf(quote, at);
      if (next === -1) break;
      if (backslashesBefore(bytes, next, at) % 2 === 0) return next;
      at = next;
      searchFrom = at + stretch;
    } else if (bytes[at] === quote) return at;
    else if (bytes[at] === backslash) at += 1;
  }
  return bytes.length;
}
