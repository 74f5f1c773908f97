// A bound on each line of a fetch's request: git parses a filter before it refuses it, and parsing one of 64 KiB that
// holds itself over and over takes half a gigabyte.
import { ValidationFailed } from '#core/kernel/errors';

/** The longest that a client has reason to send is the name of a ref, which is a path. */
const longest = 8192;

/** The same bytes. @throws {ValidationFailed} at a line that is too long. What is no pkt-line is git's to refuse. */
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
