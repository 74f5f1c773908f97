// Applies deltas between objects of a pack: gitformat-pack(5), "Deltified representation".
import { Internal } from '#core/kernel/errors';

/** A number in seven bits per byte, and the offset after it. */
function sizeAt(delta: Uint8Array, from: number): readonly [size: number, end: number] {
  let [size, factor, at] = [0, 1, from];
  for (;;) {
    const byte = delta[at];
    if (byte === undefined || factor > 2 ** 42) throw broken();
    at += 1;
    size += (byte & 0x7f) * factor;
    if (byte < 0x80) return [size, at];
    factor *= 128;
  }
}

/** The size of the object that a delta makes, from its first bytes. */
export function resultSize(delta: Uint8Array): number {
  const [, at] = sizeAt(delta, 0);
  return sizeAt(delta, at)[0];
}

/** @throws {Internal} if the delta does not fit the base, or makes more than `most` bytes. */
export function applyDelta(base: Buffer, delta: Buffer, most: number): Buffer {
  const [baseSize, first] = sizeAt(delta, 0);
  const [size, start] = sizeAt(delta, first);
  if (baseSize !== base.length || size > most) throw broken();
  const result = Buffer.allocUnsafe(size);
  let [at, to] = [start, 0];
  while (at < delta.length) {
    const code = delta[at] ?? 0;
    at += 1;
    if (code === 0) throw broken();
    if (code < 0x80) {
      if (at + code > delta.length || to + code > size) throw broken();
      delta.copy(result, to, at, at + code);
      at += code;
      to += code;
      continue;
    }
    let [offset, length] = [0, 0];
    if (code & 0x01) offset = delta[at++] ?? 0;
    if (code & 0x02) offset += (delta[at++] ?? 0) << 8;
    if (code & 0x04) offset += (delta[at++] ?? 0) << 16;
    if (code & 0x08) offset += (delta[at++] ?? 0) * 0x1000000;
    if (code & 0x10) length = delta[at++] ?? 0;
    if (code & 0x20) length += (delta[at++] ?? 0) << 8;
    if (code & 0x40) length += (delta[at++] ?? 0) << 16;
    if (length === 0) length = 0x10000;
    if (at > delta.length || offset + length > base.length || to + length > size) throw broken();
    base.copy(result, to, offset, offset + length);
    to += length;
  }
  if (to !== size) throw broken();
  return result;
}

const broken = (): Internal => new Internal('A delta of a pack is broken');
