// Files that are sent unchanged: read once, with their digest, and compressed once, when they are first requested.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

/** The content codings of a file (RFC 9110, section 8.4.1). */
export type Coding = 'br' | 'gzip' | 'identity';

/** The bytes of a file, in every coding. */
export type StaticFile = Readonly<Record<Coding, Uint8Array>>;

export interface StaticFiles {
  /** The first digits of a SHA-256 of all files. */
  readonly digest: string;
  readonly files: ReadonlyMap<string, StaticFile>;
}

/**
 * Reads files of a few kilobytes each.
 * @param files the name of each file, and its parts in the folder, which are joined in the given order. Each part of a
 * script is a block, so that its names are not those of another part.
 * @throws {Error} of node:fs.
 */
export function readStaticFiles(folder: URL, files: Readonly<Record<string, readonly string[]>>): StaticFiles {
  const digest = createHash('sha256');
  const read = Object.entries(files).map(([name, parts]) => {
    const bytes = Buffer.concat(parts.flatMap((part) => joined(readFileSync(new URL(part, folder)), part)));
    digest.update(`${name} ${String(bytes.byteLength)}\n`).update(bytes);
    return [name, compressed(bytes)] as const;
  });
  return { digest: digest.digest('hex').slice(0, 16), files: new Map(read) };
}

const joined = (bytes: Buffer, part: string): readonly Buffer[] =>
  part.endsWith('.js') ? [Buffer.from('{\n'), bytes, Buffer.from('}\n')] : [bytes];

function compressed(identity: Uint8Array): StaticFile {
  let br: Uint8Array | undefined;
  let gzip: Uint8Array | undefined;
  return {
    get br() {
      return (br ??= brotliCompressSync(identity, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }));
    },
    get gzip() {
      return (gzip ??= gzipSync(identity));
    },
    identity,
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
