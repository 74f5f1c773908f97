// The head of a commit: its headers, before the first empty line.
import type { Buffer } from 'node:buffer';

/** Bytes in which headers are looked for: no head that git writes is longer. */
export const longestHead = 256 * 1024;
/** Bytes looked through at a stretch, which take a millisecond at the most. */
const stretch = 256 * 1024;

/** Where the empty line before the message begins, however far that is; the length of a commit that has none. */
export async function endOfHead(content: Buffer): Promise<number> {
  for (let from = 0; from < content.length; from += stretch) {
    const found = content.subarray(from, from + stretch + 1).indexOf('\n\n');
    if (found >= 0) return from + found;
    await new Promise((resolve) => setImmediate(resolve));
  }
  return content.length;
}
