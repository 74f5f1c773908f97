// The types of objects and the headers of pack entries: gitformat-pack(5).

export type ObjectType = 'commit' | 'tree' | 'blob' | 'tag';

/** An object as git hashes it, without its header. */
export interface StoredObject {
  readonly type: ObjectType;
  readonly content: Buffer;
}

const typeNames: readonly (ObjectType | undefined)[] = [undefined, 'commit', 'tree', 'blob', 'tag'];
export const typeCodes: Readonly<Record<ObjectType, number>> = { commit: 1, tree: 2, blob: 3, tag: 4 };
export const typeOf = (code: number): ObjectType | undefined => typeNames[code];
export const [ofsDelta, refDelta] = [6, 7];

/** Bytes that an entry's header can have, with the offset or oid of its base. */
export const longestHeader = 40;
/** The most bytes of one object after inflation. A larger one is neither taken in nor read. */
export const largestObject = 128 * 1024 ** 2;

export interface EntryHeader {
  readonly code: number;
  /** Of the object, or of the delta. */
  readonly size: number;
  /** Bytes of the header. */
  readonly length: number;
  /** How far the base is before the entry. */
  readonly baseDistance?: number;
  readonly baseOid?: string;
}

/** Undefined for a header that is malformed or not complete. */
export function readEntryHeader(bytes: Buffer): EntryHeader | undefined {
  let at = 0;
  let byte = bytes[at++];
  if (byte === undefined) return undefined;
  const code = (byte >> 4) & 7;
  let size = byte & 15;
  for (let factor = 16; byte >= 0x80; factor *= 128) {
    byte = bytes[at++];
    if (byte === undefined || factor > 2 ** 46) return undefined;
    size += (byte & 0x7f) * factor;
  }
  if (code === ofsDelta) {
    byte = bytes[at++];
    if (byte === undefined) return undefined;
    let baseDistance = byte & 0x7f;
    while (byte >= 0x80) {
      byte = bytes[at++];
      if (byte === undefined || baseDistance > 2 ** 40) return undefined;
      baseDistance = (baseDistance + 1) * 128 + (byte & 0x7f);
    }
    return { code, size, length: at, baseDistance };
  }
  if (code === refDelta) {
    if (bytes.length < at + 20) return undefined;
    return { code, size, length: at + 20, baseOid: bytes.toString('hex', at, at + 20) };
  }
  return { code, size, length: at };
}

/** The type and size of an entry. The base of a delta follows it. */
export function entryHeader(code: number, size: number): Buffer {
  const bytes: number[] = [];
  let rest = Math.floor(size / 16);
  let byte = (code << 4) | (size % 16);
  for (; rest > 0; rest = Math.floor(rest / 128)) {
    bytes.push(byte | 0x80);
    byte = rest % 128;
  }
  return Buffer.from([...bytes, byte]);
}

/** The distance to the base of a delta. */
export function baseDistance(distance: number): Buffer {
  const bytes = [distance % 128];
  for (let rest = Math.floor(distance / 128); rest > 0; rest = Math.floor(rest / 128)) {
    rest -= 1;
    bytes.unshift(0x80 | (rest % 128));
  }
  return Buffer.from(bytes);
}

/** The beginning of a pack. */
export function packHead(count: number): Buffer {
  const head = Buffer.alloc(12);
  head.write('PACK', 'latin1');
  head.writeUInt32BE(2, 4);
  head.writeUInt32BE(count, 8);
  return head;
}
