// Base62: random strings and encoded numbers of letters and digits, which need no escaping in shells and URLs.
import type { Ids } from '#core/kernel/time';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/**
 * Bytes from this value up are discarded: 256 is not a multiple of 62, so using them would favour the first eight
 * characters.
 */
const unbiased = 248;

/** `length` characters, uniformly distributed. */
export function randomBase62(ids: Ids, length: number): string {
  let text = '';
  while (text.length < length) {
    for (const byte of ids.bytes(length - text.length + 8)) {
      if (byte < unbiased && text.length < length) text += alphabet.charAt(byte % 62);
    }
  }
  return text;
}

/** Encodes a non-negative integer, padded with zeros to `width`. */
export function encodeBase62(value: number, width: number): string {
  let rest = value;
  let text = '';
  do {
    text = alphabet.charAt(rest % 62) + text;
    rest = Math.floor(rest / 62);
  } while (rest > 0);
  return text.padStart(width, '0');
}
