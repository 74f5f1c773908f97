// Base62: random strings and encoded numbers, in letters and digits that survive every shell, URL and double-click.
import type { Ids } from '#core/kernel/time';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/**
 * Bytes from here on are thrown away: 256 is no multiple of 62, and keeping them would favour the first eight
 * characters.
 */
const unbiased = 248;

/** `length` characters, each equally likely. */
export function randomBase62(ids: Ids, length: number): string {
  let text = '';
  while (text.length < length) {
    for (const byte of ids.bytes(length - text.length + 8)) {
      if (byte < unbiased && text.length < length) text += alphabet.charAt(byte % 62);
    }
  }
  return text;
}

/** A non-negative integer, padded to `width`. */
export function encodeBase62(value: number, width: number): string {
  let rest = value;
  let text = '';
  do {
    text = alphabet.charAt(rest % 62) + text;
    rest = Math.floor(rest / 62);
  } while (rest > 0);
  return text.padStart(width, '0');
}
