// Texts of tools: bytes as text, first lines, and lists within the bound of a result.

const utf8 = new TextDecoder();

/** Bytes that are not UTF-8 are replaced by U+FFFD. */
export const asText = (bytes: Uint8Array): string => utf8.decode(bytes);

export const firstLine = (message: string): string => message.trimStart().split('\n', 1)[0] ?? '';

/** The most bytes of a list as JSON, as long as the longest text of a result. */
const mostBytes = 256 * 1024;

/** The first items whose JSON fits. */
export function fitting<T>(items: readonly T[], most = mostBytes): readonly T[] {
  let bytes = 0;
  const end = items.findIndex((item) => {
    bytes += Buffer.byteLength(JSON.stringify(item)) + 1;
    return bytes > most;
  });
  return end === -1 ? items : items.slice(0, end);
}
