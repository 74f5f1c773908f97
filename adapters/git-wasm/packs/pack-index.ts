// The index of a pack: gitformat-pack(5), "Version 2 pack-*.idx files".
import { createHash } from 'node:crypto';
import { Internal } from '#core/kernel/errors';

const headBytes = 8;
const fanoutBytes = 1024;
const oidBytes = 20;

/** Reads the index of a pack that is held in memory. */
export class PackIndex {
  readonly count: number;
  readonly #bytes: Buffer;
  readonly #oids = headBytes + fanoutBytes;
  readonly #offsets: number;
  readonly #large: number;
  /** Positions by offset in the pack, and the offsets in that order. */
  #byOffset: { readonly positions: Uint32Array; readonly offsets: Float64Array } | undefined;

  /** @throws {Internal} for another version, or an index that is cut off. */
  constructor(bytes: Buffer) {
    if (
      bytes.length < headBytes + fanoutBytes + 2 * oidBytes ||
      bytes.readUInt32BE(0) !== 0xff744f63 ||
      bytes.readUInt32BE(4) !== 2
    )
      throw new Internal('The index of a pack is broken');
    this.#bytes = bytes;
    this.count = bytes.readUInt32BE(headBytes + fanoutBytes - 4);
    this.#offsets = this.#oids + this.count * (oidBytes + 4);
    this.#large = this.#offsets + this.count * 4;
    if (bytes.length < this.#large + 2 * oidBytes) throw new Internal('The index of a pack is broken');
  }

  /** The position of an oid; -1 if the pack does not have it. */
  position(oid: Buffer): number {
    let [low, high] = this.#range(oid[0] ?? 0);
    while (low < high) {
      const middle = (low + high) >>> 1;
      const at = this.#oids + middle * oidBytes;
      const order = oid.compare(this.#bytes, at, at + oidBytes);
      if (order === 0) return middle;
      if (order < 0) high = middle;
      else low = middle + 1;
    }
    return -1;
  }

  oidAt(position: number): string {
    const at = this.#oids + position * oidBytes;
    return this.#bytes.toString('hex', at, at + oidBytes);
  }

  offsetAt(position: number): number {
    const offset = this.#bytes.readUInt32BE(this.#offsets + position * 4);
    if (offset < 0x80000000) return offset;
    return Number(this.#bytes.readBigUInt64BE(this.#large + (offset - 0x80000000) * 8));
  }

  *oids(): Generator<string> {
    for (let position = 0; position < this.count; position += 1) yield this.oidAt(position);
  }

  /** The oids that begin with these hex digits, at most `most`. */
  beginningWith(digits: string, most: number): readonly string[] {
    const found: string[] = [];
    let [low, high] = [0, this.count];
    const from = Buffer.from(digits.padEnd(40, '0'), 'hex');
    while (low < high) {
      const middle = (low + high) >>> 1;
      const at = this.#oids + middle * oidBytes;
      if (from.compare(this.#bytes, at, at + oidBytes) <= 0) high = middle;
      else low = middle + 1;
    }
    for (; low < this.count && found.length < most; low += 1) {
      const oid = this.oidAt(low);
      if (!oid.startsWith(digits)) break;
      found.push(oid);
    }
    return found;
  }

  /** The position of the entry that begins at an offset; -1 if none does. */
  positionOfOffset(offset: number): number {
    const { positions, offsets } = this.#sorted();
    const at = indexIn(offsets, offset);
    return offsets[at] === offset ? (positions[at] ?? -1) : -1;
  }

  /** The offset at which the entry after this one begins; undefined for the last entry. */
  offsetAfter(offset: number): number | undefined {
    const { offsets } = this.#sorted();
    return offsets[indexIn(offsets, offset) + 1];
  }

  #range(first: number): [number, number] {
    const at = headBytes + first * 4;
    return [first === 0 ? 0 : this.#bytes.readUInt32BE(at - 4), this.#bytes.readUInt32BE(at)];
  }

  #sorted() {
    if (this.#byOffset === undefined) {
      const all = Float64Array.from({ length: this.count }, (_, position) => this.offsetAt(position));
      const positions = Uint32Array.from({ length: this.count }, (_, position) => position);
      positions.sort((one, other) => (all[one] ?? 0) - (all[other] ?? 0));
      this.#byOffset = { positions, offsets: all.sort() };
    }
    return this.#byOffset;
  }
}

/** The index of the last number that is not greater. */
function indexIn(sorted: Float64Array, wanted: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] ?? 0) <= wanted) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** An entry of a pack to be indexed. */
export interface IndexedEntry {
  readonly oid: string;
  readonly crc: number;
  readonly offset: number;
}

/** The bytes of the index of a pack below 2 GiB. Sorts the entries. */
export function packIndexOf(entries: IndexedEntry[], packChecksum: Buffer): Buffer {
  entries.sort((one, other) => (one.oid < other.oid ? -1 : one.oid > other.oid ? 1 : 0));
  const count = entries.length;
  const bytes = Buffer.alloc(headBytes + fanoutBytes + count * (oidBytes + 8) + 2 * oidBytes);
  bytes.writeUInt32BE(0xff744f63, 0);
  bytes.writeUInt32BE(2, 4);
  const counts = new Uint32Array(256);
  const [crcs, offsets] = [
    headBytes + fanoutBytes + count * oidBytes,
    headBytes + fanoutBytes + count * (oidBytes + 4),
  ];
  for (const [position, { oid, crc, offset }] of entries.entries()) {
    const first = Number.parseInt(oid.slice(0, 2), 16);
    counts[first] = (counts[first] ?? 0) + 1;
    bytes.write(oid, headBytes + fanoutBytes + position * oidBytes, 'hex');
    bytes.writeUInt32BE(crc, crcs + position * 4);
    bytes.writeUInt32BE(offset, offsets + position * 4);
  }
  let sum = 0;
  for (const [first, own] of counts.entries()) bytes.writeUInt32BE((sum += own), headBytes + first * 4);
  packChecksum.copy(bytes, bytes.length - 2 * oidBytes);
  createHash('sha1')
    .update(bytes.subarray(0, -oidBytes))
    .digest()
    .copy(bytes, bytes.length - oidBytes);
  return bytes;
}
