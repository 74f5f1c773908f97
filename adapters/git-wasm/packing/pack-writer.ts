// Writes packs: entries of other packs are copied, with their deltas where the base is in the new pack too.
// Synchronous: for worker threads alone.
import { createHash } from 'node:crypto';
import { writeSync } from 'node:fs';
import { crc32, deflateSync } from 'node:zlib';
import { Internal } from '#core/kernel/errors';
import type { Oid } from '#core/repositories/git/git-objects';
import type { ObjectStore } from '../objects/object-store.ts';
import {
  baseDistance,
  entryHeader,
  ofsDelta,
  packHead,
  refDelta,
  typeCodes,
  typeOf,
  type StoredObject,
} from '../packs/formats.ts';
import type { IndexedEntry } from '../packs/pack-index.ts';
import type { PackEntry } from '../packs/pack-file.ts';

/** Bytes gathered before they are written. */
const gathered = 1024 ** 2;

/** A pack that was written: its size, checksum and entries. */
export interface WrittenPack {
  readonly bytes: number;
  readonly checksum: Buffer;
  readonly entries: IndexedEntry[];
}

/** Writes to a file, and computes the checksum of the pack. */
class Output {
  readonly #fd: number;
  readonly #hash = createHash('sha1');
  #parts: Buffer[] = [];
  #waiting = 0;
  bytes = 0;

  constructor(fd: number) {
    this.#fd = fd;
  }

  write(part: Buffer): void {
    this.#parts.push(part);
    this.#waiting += part.length;
    this.bytes += part.length;
    if (this.#waiting >= gathered) this.#flush();
  }

  end(): Buffer {
    this.#flush();
    const checksum = this.#hash.digest();
    writeAll(this.#fd, checksum);
    return checksum;
  }

  #flush(): void {
    const whole = Buffer.concat(this.#parts, this.#waiting);
    this.#hash.update(whole);
    writeAll(this.#fd, whole);
    [this.#parts, this.#waiting] = [[], 0];
  }
}

function writeAll(fd: number, bytes: Buffer): void {
  for (let at = 0; at < bytes.length;) at += writeSync(fd, bytes, at);
}

/** Writes objects that are not stored yet. */
export function writeNewPack(fd: number, objects: readonly (StoredObject & { readonly oid: Oid })[]): WrittenPack {
  const output = new Output(fd);
  output.write(packHead(objects.length));
  const entries = objects.map(({ type, content, oid }) => {
    const offset = output.bytes;
    const bytes = Buffer.concat([entryHeader(typeCodes[type], content.length), deflateSync(content)]);
    output.write(bytes);
    return { oid, offset, crc: crc32(bytes) };
  });
  const checksum = output.end();
  return { bytes: output.bytes + checksum.length, checksum, entries };
}

/**
 * Writes a pack of these objects.
 * @throws {Internal} if one of them is missing.
 */
export function writePack(fd: number, store: ObjectStore, oids: Iterable<Oid>): WrittenPack {
  const packed: (PackEntry & { readonly oid: Oid })[] = [];
  const loose: Oid[] = [];
  for (const oid of oids) {
    const entry = store.packed(oid);
    if (entry === undefined) loose.push(oid);
    else packed.push(Object.assign(entry, { oid }));
  }
  const ranks = new Map(store.packs.map((pack, rank) => [pack, rank]));
  const rankOf = ({ pack }: PackEntry): number => ranks.get(pack) ?? 0;
  packed.sort((one, other) => rankOf(one) - rankOf(other) || one.offset - other.offset);
  /** The offsets of copied entries in the new pack, by their old offsets; 0 until an entry is written. */
  const places = new Map(store.packs.map((pack) => [pack, new Map<number, number>()]));
  for (const { pack, offset } of packed) places.get(pack)?.set(offset, 0);
  const output = new Output(fd);
  output.write(packHead(packed.length + loose.length));
  const entries: IndexedEntry[] = [];
  const add = (oid: Oid, offset: number, parts: readonly Buffer[]): void => {
    let crc = 0;
    for (const part of parts) {
      crc = crc32(part, crc);
      output.write(part);
    }
    entries.push({ oid, offset, crc });
  };
  const whole = (oid: Oid): readonly Buffer[] => {
    const object = store.read(oid);
    if (object === undefined) throw new Internal('An object is missing', { detail: oid });
    return [entryHeader(typeCodes[object.type], object.content.length), deflateSync(object.content)];
  };
  for (const oid of loose) add(oid, output.bytes, whole(oid));
  const window = new Window();
  for (const entry of packed) {
    store.check();
    const offset = output.bytes;
    add(entry.oid, offset, copied(entry, offset, places, window) ?? whole(entry.oid));
    places.get(entry.pack)?.set(entry.offset, offset);
  }
  const checksum = output.end();
  return { bytes: output.bytes + checksum.length, checksum, entries };
}

/** The bytes of an entry in the new pack; undefined for a delta whose base is not there. */
function copied(
  entry: PackEntry,
  offset: number,
  places: ReadonlyMap<PackEntry['pack'], ReadonlyMap<number, number>>,
  window: Window,
): readonly Buffer[] | undefined {
  const { code, size, pack, start, end } = entry;
  const data = (): Buffer => window.bytes(pack, start, end);
  if (typeOf(code) !== undefined) return [entryHeader(code, size), data()];
  const { baseDistance: distance, baseOid } = entry;
  const position = baseOid === undefined ? -1 : pack.index.position(Buffer.from(baseOid, 'hex'));
  const base = distance === undefined ? (position < 0 ? -1 : pack.index.offsetAt(position)) : entry.offset - distance;
  // Only a base that is copied from the same pack: bases in different packs could be deltas of each other.
  const place = places.get(pack)?.get(base);
  if (place === undefined) return undefined;
  if (place > 0) return [entryHeader(ofsDelta, size), baseDistance(offset - place), data()];
  const oid = baseOid ?? pack.index.oidAt(pack.index.positionOfOffset(base));
  return [entryHeader(refDelta, size), Buffer.from(oid, 'hex'), data()];
}

/** Reads ahead in a pack, because entries are copied in its order. */
class Window {
  #pack: PackEntry['pack'] | undefined;
  #start = 0;
  #bytes: Buffer = Buffer.alloc(0);

  bytes(pack: PackEntry['pack'], start: number, end: number): Buffer {
    if (end - start > gathered) return pack.bytes(start, end);
    if (pack !== this.#pack || start < this.#start || end > this.#start + this.#bytes.length) {
      this.#bytes = pack.upTo(start, start + gathered);
      this.#start = start;
      this.#pack = pack;
    }
    return this.#bytes.subarray(start - this.#start, end - this.#start);
  }
}
