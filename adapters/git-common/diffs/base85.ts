// Encodes bytes in git's base 85, in which binary files are printed in patches (see git-format-patch).

const digits = Buffer.from(
  '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~',
  'latin1',
);
/** Bytes encoded per line. The first letter of a line states how many bytes it encodes. */
const bytesPerLine = 52;

/** Lines in git's base 85. */
export function base85(bytes: Buffer): string {
  const lines = Math.ceil(bytes.length / bytesPerLine);
  const out = Buffer.alloc(lines * 2 + Math.ceil(bytes.length / 4) * 5);
  let end = 0;
  for (let from = 0; from < bytes.length; from += bytesPerLine) {
    const line = bytes.subarray(from, from + bytesPerLine);
    // Lengths 1 to 26 are A to Z, 27 to 52 are a to z.
    out[end++] = line.length <= 26 ? 0x40 + line.length : 0x60 + line.length - 26;
    for (let at = 0; at < line.length; at += 4) {
      let value = 0;
      for (let byte = at; byte < at + 4; byte += 1) value = value * 256 + (line[byte] ?? 0);
      for (let digit = end + 4; digit >= end; digit -= 1) {
        out[digit] = digits[value % 85] ?? 0;
        value = Math.floor(value / 85);
      }
      end += 5;
    }
    out[end++] = 0x0a;
  }
  return out.toString('latin1', 0, end);
}
