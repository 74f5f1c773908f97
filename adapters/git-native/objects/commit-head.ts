// Finds the end of a commit's headers, which precede the first empty line.

/** Bytes in which headers are looked for; no head that git writes is longer. */
export const longestHead = 256 * 1024;
/** Bytes searched per event loop iteration, which takes at most a millisecond. */
const stretch = 256 * 1024;

/**
 * The offset of the empty line before the message, however far that is; the length of a commit that has no such line.
 */
export async function endOfHead(content: Buffer): Promise<number> {
  for (let from = 0; from < content.length; from += stretch) {
    const found = content.subarray(from, from + stretch + 1).indexOf('\n\n');
    if (found >= 0) return from + found;
    await new Promise((resolve) => setImmediate(resolve));
  }
  return content.length;
}
