// A file's whole content as `git apply` reads it: git-format-patch's `GIT binary patch`, deflated and in base 85.
import { Buffer } from 'node:buffer';
import { promisify } from 'node:util';
import { deflate } from 'node:zlib';

const deflated = promisify<Buffer, Buffer>(deflate);

const digits = Buffer.from(
  '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~',
  'latin1',
);
/** Of a line; its first letter says how many they are. */
const bytesPerLine = 52;

/** The forward half alone, which is all that applying needs. */
export async function binaryLiteral(content: Buffer): Promise<string> {
  const bytes = await deflated(content);
  return `GIT binary patch\nliteral ${content.length}\n${base85(bytes)}\n`;
}

/** Lines of git's base 85. */
export function base85(bytes: Buffer): string {
  const lines = Math.ceil(bytes.length / bytesPerLine);
  const out = Buffer.alloc(lines * 2 + Math.ceil(bytes.length / 4) * 5);
  let end = 0;
  for (let from = 0; from < bytes.length; from += bytesPerLine) {
    const line = bytes.subarray(from, from + bytesPerLine);
    // A to Z are 1 to 26, a to z go on from there.
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
