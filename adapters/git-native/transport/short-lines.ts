// Limits the length of each line of a fetch request: git parses a filter before it rejects it, and takes half a
// gigabyte to parse one of 64 KiB with deep nesting.
import { ValidationFailed } from '#core/kernel/errors';

/** Bytes. The longest line that clients need contains the name of a ref, which is a path. */
const longest = 8192;

/**
 * Passes on the same bytes. git itself rejects malformed pkt-lines.
 * @throws {ValidationFailed} at a line that is too long.
 */
export function shortLines(body: AsyncIterator<Uint8Array>): AsyncIterator<Uint8Array> {
  let digits = '';
  let left = 0;
  const check = (bytes: Uint8Array): void => {
    for (let at = 0; at < bytes.length;) {
      const within = Math.min(left, bytes.length - at);
      at += within;
      left -= within;
      for (; at < bytes.length && digits.length < 4; at += 1) digits += String.fromCharCode(bytes[at] ?? 0);
      if (digits.length < 4) return;
      left = Math.max(0, (Number.parseInt(digits, 16) || 0) - digits.length);
      digits = '';
      if (left > longest)
        throw new ValidationFailed('The request has a line that is too long', {
          detail: `body: at most ${longest} bytes a line`,
        });
    }
  };
  return {
    next: async () => {
      const read = await body.next();
      if (read.done !== true) check(read.value);
      return read;
    },
  };
}
