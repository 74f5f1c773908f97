// Packs of some hundred bytes that unpack to large objects (gitformat-pack(5)).
import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { deflateSync } from 'node:zlib';

export const block = Buffer.alloc(65_536, 'a');

export const oidOf = (content: Buffer): Buffer =>
  createHash('sha1').update(`blob ${content.length}\0`).update(content).digest();

/** A size in groups of seven bits, lowest first. */
function sized(first: number, left: number): Buffer {
  const bytes = [first];
  for (let rest = left; rest > 0; rest = Math.floor(rest / 128)) {
    bytes.push((bytes.pop() ?? 0) | 0x80);
    bytes.push(rest % 128);
  }
  return Buffer.from(bytes);
}
const size = (bytes: number): Buffer => sized(bytes % 128, Math.floor(bytes / 128));
const entry = (type: number, content: Buffer, base: Buffer = Buffer.alloc(0)): Buffer =>
  Buffer.concat([
    sized((type << 4) | (content.length % 16), Math.floor(content.length / 16)),
    base,
    deflateSync(content),
  ]);

/**
 * A pack of some hundred bytes with three objects: a block, a delta of `blocks` copies of it, and a delta of the first
 * kilobyte of that.
 */
export function pack(blocks: number): { readonly bytes: Buffer; readonly large: string; readonly small: string } {
  const large = Buffer.alloc(blocks * block.length, 'a');
  const copies = Buffer.concat([size(block.length), size(large.length), Buffer.alloc(blocks, 0x80)]);
  const copy = Buffer.concat([size(large.length), size(1024), Buffer.from([0xb0, 0x00, 0x04])]);
  const parts = Buffer.concat([
    Buffer.from('PACK\0\0\0\x02\0\0\0\x03', 'latin1'),
    entry(3, block),
    entry(7, copies, oidOf(block)),
    entry(7, copy, oidOf(large)),
  ]);
  return {
    bytes: Buffer.concat([parts, createHash('sha1').update(parts).digest()]),
    large: oidOf(large).toString('hex'),
    small: oidOf(block.subarray(0, 1024)).toString('hex'),
  };
}
