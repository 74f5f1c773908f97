// Reads the objects of one pack, with their deltas. Synchronous: for worker threads alone.
import { closeSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs';
import { constants, inflateSync } from 'node:zlib';
import { Internal, Unprocessable } from '#core/kernel/errors';
import { Lru } from '#core/kernel/limits/lru';
import { applyDelta, resultSize } from './delta.ts';
import {
  largestObject,
  longestHeader,
  ofsDelta,
  readEntryHeader,
  refDelta,
  typeOf,
  type EntryHeader,
  type ObjectType,
  type StoredObject,
} from './formats.ts';
import { PackIndex } from './pack-index.ts';

/** The most deltas between an object and its base; git makes chains of 50. */
const longestChain = 10_000;
/** Bytes of the pack's checksum, which follows its last entry. */
const trailer = 20;

/** Bases of deltas that were read lately, of all packs of a store; weighed by bytes. */
export type Bases = Lru<StoredObject>;

export const bases = (bytes: number): Bases => new Lru(bytes);

/** An entry with its place in the pack, for copying it. */
export interface PackEntry extends EntryHeader {
  readonly pack: PackFile;
  readonly offset: number;
  /** The offsets of the first compressed byte and after the last one. */
  readonly start: number;
  readonly end: number;
}

let opened = 0;

export class PackFile {
  readonly name: string;
  readonly index: PackIndex;
  /** Milliseconds since 1970: when the pack was written. */
  readonly writtenAt: number;
  readonly #fd: number;
  readonly #size: number;
  readonly #key = `${(opened += 1)}:`;

  /** @throws ENOENT if the pack was removed. */
  constructor(folder: string, name: string) {
    this.name = name;
    this.index = new PackIndex(readFileSync(`${folder}/${name}.idx`));
    this.#fd = openSync(`${folder}/${name}.pack`, 'r');
    const { size, mtimeMs } = fstatSync(this.#fd);
    this.#size = size;
    this.writtenAt = mtimeMs;
  }

  close(): void {
    closeSync(this.#fd);
  }

  entry(offset: number): PackEntry {
    const header = readEntryHeader(this.#bytes(offset, Math.min(offset + longestHeader, this.#size)));
    if (header === undefined) throw this.#broken(offset);
    return {
      ...header,
      pack: this,
      offset,
      start: offset + header.length,
      end: this.index.offsetAfter(offset) ?? this.#size - trailer,
    };
  }

  /** The bytes of the pack in this range. */
  bytes(start: number, end: number): Buffer {
    return this.#bytes(start, end);
  }

  /** The same, but not past the end of the pack. */
  upTo(start: number, end: number): Buffer {
    return this.#bytes(start, Math.min(end, this.#size));
  }

  /** The type and size of an object without its content. */
  header(offset: number): { readonly type: ObjectType; readonly size: number } {
    let entry = this.entry(offset);
    const size =
      typeOf(entry.code) === undefined
        ? resultSize(
            inflateSync(this.#bytes(entry.start, Math.min(entry.end, entry.start + 128)), {
              finishFlush: constants.Z_SYNC_FLUSH,
            }),
          )
        : entry.size;
    for (let depth = 0; depth < longestChain; depth += 1) {
      const type = typeOf(entry.code);
      if (type !== undefined) return { type, size };
      entry = this.entry(this.#baseOf(entry));
    }
    throw this.#broken(offset);
  }

  /** @throws {Unprocessable} if the object is too large; {Internal} if it is broken. */
  read(offset: number, known: Bases): StoredObject {
    const chain: PackEntry[] = [];
    let at = offset;
    let object = known.get(this.#key + at);
    while (object === undefined) {
      const entry = this.entry(at);
      const type = typeOf(entry.code);
      if (type !== undefined) {
        object = { type, content: this.inflated(entry) };
        if (chain.length > 0) this.#keep(known, at, object);
        break;
      }
      chain.push(entry);
      if (chain.length > longestChain) throw this.#broken(offset);
      at = this.#baseOf(entry);
      object = known.get(this.#key + at);
    }
    for (let entry = chain.pop(); entry !== undefined; entry = chain.pop()) {
      object = { type: object.type, content: applyDelta(object.content, this.inflated(entry), largestObject) };
      this.#keep(known, entry.offset, object);
    }
    return object;
  }

  /** The content of an entry: of an object, or of a delta. */
  inflated({ size, start, end, offset }: PackEntry): Buffer {
    if (size > largestObject)
      throw new Unprocessable('An object is too large to be read', {
        detail: `It has ${size} bytes; ${largestObject} are allowed`,
      });
    const options = { chunkSize: Math.max(64, size + 1), maxOutputLength: size + 1 };
    const content = inflateSync(this.#bytes(start, end), options);
    if (content.length !== size) throw this.#broken(offset);
    return content;
  }

  #keep(known: Bases, offset: number, object: StoredObject): void {
    known.set(this.#key + offset, object, 100 + object.content.length);
  }

  #baseOf({ code, offset, baseDistance, baseOid }: PackEntry): number {
    if (code === ofsDelta && baseDistance !== undefined && baseDistance > 0 && baseDistance <= offset)
      return offset - baseDistance;
    const position = code === refDelta && baseOid !== undefined ? this.index.position(Buffer.from(baseOid, 'hex')) : -1;
    if (position < 0) throw this.#broken(offset);
    return this.index.offsetAt(position);
  }

  #bytes(start: number, end: number): Buffer {
    const bytes = Buffer.allocUnsafe(Math.max(0, end - start));
    let read = 0;
    while (read < bytes.length) {
      const count = readSync(this.#fd, bytes, read, bytes.length - read, start + read);
      if (count === 0) throw this.#broken(start);
      read += count;
    }
    return bytes;
  }

  #broken(offset: number): Internal {
    return new Internal('A pack is broken', { detail: `"${this.name}" at ${offset}` });
  }
}
