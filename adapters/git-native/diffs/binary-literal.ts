// Encodes the whole content of a file as a `GIT binary patch` literal for `git apply` (deflate, then base 85; see
// git-format-patch).
import { promisify } from 'node:util';
import { deflate } from 'node:zlib';
import { base85 } from '#adapters/git-common/diffs/base85';

const deflated = promisify<Buffer, Buffer>(deflate);

/** Contains only the forward half of the patch, which is enough to apply it. */
export async function binaryLiteral(content: Buffer): Promise<string> {
  const bytes = await deflated(content);
  return `GIT binary patch\nliteral ${content.length}\n${base85(bytes)}\n`;
}
