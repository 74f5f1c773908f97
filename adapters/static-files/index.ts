// Files that are sent unchanged: read once, with their digest, and compressed once.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

/** The content codings of a file (RFC 9110, section 8.4.1). */
export type Coding = 'br' | 'gzip' | 'identity';

export interface StaticFile {
  /** The first digits of the SHA-256 of its bytes. */
  readonly digest: string;
  readonly bytes: Readonly<Record<Coding, Uint8Array>>;
}

/** Reads a file of a few kilobytes. @throws {Error} of node:fs. */
export function readStaticFile(url: URL): StaticFile {
  const identity = readFileSync(url);
  return {
    digest: createHash('sha256').update(identity).digest('hex').slice(0, 16),
    bytes: {
      br: brotliCompressSync(identity, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
      gzip: gzipSync(identity),
      identity,
    },
  };
}

/** The best coding that the header `Accept-Encoding` allows. */
export const codingFor = (accepted: string): Coding =>
  (['br', 'gzip'] as const).find((coding) =>
    accepted.split(',').some((one) => {
      const [name, ...parameters] = one.split(';').map((part) => part.trim().toLowerCase());
      return name === coding && !parameters.some((parameter) => /^q=0(?:\.0{0,3})?$/.test(parameter));
    }),
  ) ?? 'identity';
