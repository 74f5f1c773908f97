// Takes in a pack as git-index-pack(1) does: finds the oid of every entry, checks every object, and writes the index.
// Synchronous: for worker threads alone.
import { createHash } from 'node:crypto';
import { closeSync, fstatSync, fsyncSync, openSync, readSync, writeFileSync } from 'node:fs';
import { crc32, inflateSync } from 'node:zlib';
import { Unprocessable } from '#core/kernel/errors';
import type { Oid } from '#core/repositories/git/git-objects';
import { errnoOf } from '#adapters/git-common/files/errno';
import { hashOf } from '../objects/loose-objects.ts';
import type { ObjectStore } from '../objects/object-store.ts';
import { applyDelta } from '../packs/delta.ts';
import {
  largestObject,
  longestHeader,
  ofsDelta,
  readEntryHeader,
  refDelta,
  typeOf,
  type ObjectType,
  type StoredObject,
} from '../packs/formats.ts';
import { checked, checkModules, Fault } from './object-checks.ts';
import { packIndexOf, type IndexedEntry } from '../packs/pack-index.ts';

/** Bytes of all objects of one chain of deltas that are held at the same time. */
const mostHeld = 256 * 1024 ** 2;
const window = 4 * 1024 ** 2;
/** Objects of one pack, and bytes of all of them before they are compressed. */
const [mostObjects, mostInflated] = [1_000_000, 16 * 1024 ** 3];

interface Found {
  readonly offset: number;
  readonly start: number;
  readonly end: number;
  readonly crc: number;
  readonly size: number;
  readonly code: number;
  /** The offset or oid of the base of a delta. */
  readonly base?: number | Oid;
  oid: Oid;
}

/** A pack that was taken in. */
export interface Indexed {
  readonly objects: number;
  /** `pack-<checksum>` */
  readonly name: string;
}

/**
 * Checks a pack and writes its index beside it, both synced.
 * @param store the objects that the pack may refer to.
 * @param tips oids that must exist afterwards.
 * @throws {Unprocessable} with the reason that the client is shown.
 */
export function indexPack(packPath: string, indexPath: string, store: ObjectStore, tips: readonly Oid[]): Indexed {
  const fd = openSync(packPath, 'r+');
  try {
    const indexing = new Indexing(fd, store);
    const checksum = indexing.run(tips);
    fsyncSync(fd);
    writeFileSync(indexPath, packIndexOf(indexing.entries, checksum), { mode: 0o444, flush: true });
    return { objects: indexing.entries.length, name: `pack-${checksum.toString('hex')}` };
  } finally {
    closeSync(fd);
  }
}

class Indexing {
  readonly #fd: number;
  readonly #size: number;
  readonly #store: ObjectStore;
  readonly #found: Found[] = [];
  readonly #refers = new Set<Oid>();
  readonly #modules = new Set<Oid>();
  readonly #at = new Map<Oid, number>();
  #byOffset: ReadonlyMap<number, Oid> | undefined;
  #window: Buffer = Buffer.alloc(0);
  #windowAt = 0;
  #inflated = 0;

  constructor(fd: number, store: ObjectStore) {
    this.#fd = fd;
    this.#size = fstatSync(fd).size;
    this.#store = store;
  }

  get entries(): IndexedEntry[] {
    return this.#found.map(({ oid, crc, offset }) => ({ oid, crc, offset }));
  }

  run(tips: readonly Oid[]): Buffer {
    const checksum = this.#checksum();
    this.#scan();
    this.#resolve();
    for (const [index, { oid }] of this.#found.entries()) this.#at.set(oid, index);
    for (const oid of [...this.#refers, ...tips])
      if (!this.#at.has(oid) && !this.#store.has(oid)) throw refused(`missing necessary objects: ${oid}`);
    for (const oid of this.#modules) {
      const object = this.#object(oid);
      if (object !== undefined) faultless(oid, () => checkModules(object));
    }
    return checksum;
  }

  /** Compares the checksum at the end of the pack. */
  #checksum(): Buffer {
    const end = this.#size - 20;
    if (end < 12) throw refused('early EOF');
    const hash = createHash('sha1');
    for (let at = 0; at < end; at += window) {
      this.#store.check();
      hash.update(this.#bytes(at, Math.min(end, at + window)));
    }
    const checksum = hash.digest();
    if (!checksum.equals(this.#bytes(end, this.#size))) throw refused('pack is corrupted (SHA1 mismatch)');
    return checksum;
  }

  #scan(): void {
    const head = this.#bytes(0, 12);
    if (head.toString('latin1', 0, 4) !== 'PACK' || ![2, 3].includes(head.readUInt32BE(4)))
      throw refused('protocol error (pack signature mismatch detected)');
    const count = head.readUInt32BE(8);
    if (count > mostObjects) throw refused(`the pack has ${count} objects; this server takes at most ${mostObjects}`);
    let at = 12;
    for (let left = count; left > 0; left -= 1) {
      this.#store.check();
      at = this.#entry(at);
    }
    if (at !== this.#size - 20) throw refused('pack has junk at the end');
  }

  /** @returns the offset after the entry. */
  #entry(offset: number): number {
    const header = readEntryHeader(this.#bytes(offset, Math.min(this.#size - 20, offset + longestHeader)));
    if (header === undefined) throw refused('early EOF');
    const { code, size, length, baseDistance, baseOid } = header;
    if (size > largestObject)
      throw refused(`an object of the pack has ${size} bytes; this server takes at most ${largestObject}`);
    this.#inflated += size;
    if (this.#inflated > mostInflated) throw refused(`the objects of the pack have more than ${mostInflated} bytes`);
    const start = offset + length;
    const [content, taken] = this.#inflate(start, size);
    const end = start + taken;
    const crc = crc32(this.#bytes(offset, end));
    const type = typeOf(code);
    const base = code === ofsDelta ? offset - (baseDistance ?? 0) : code === refDelta ? baseOid : undefined;
    if (type === undefined && base === undefined) throw refused(`unknown object type ${code}`);
    const oid = type === undefined ? '' : this.#accept({ type, content });
    this.#found.push({ offset, start, end, crc, size, code, oid, ...(base !== undefined && { base }) });
    return end;
  }

  /** Resolves deltas from their bases on, so that each object is made once. */
  #resolve(): void {
    const byOffset = new Map<number, number[]>();
    const byOid = new Map<Oid, number[]>();
    let open = 0;
    for (const [index, { base }] of this.#found.entries()) {
      if (base === undefined) continue;
      open += 1;
      if (typeof base === 'number') listAt(byOffset, base).push(index);
      else listAt(byOid, base).push(index);
    }
    const childrenOf = ({ offset, oid }: Found): number[] => {
      const children = [...(byOffset.get(offset) ?? []), ...(byOid.get(oid) ?? [])];
      byOffset.delete(offset);
      byOid.delete(oid);
      return children;
    };
    for (const root of this.#found) {
      if (root.base !== undefined || (byOffset.size === 0 && byOid.size === 0)) continue;
      const first = childrenOf(root);
      const type = typeOf(root.code);
      if (first.length === 0 || type === undefined) continue;
      open -= this.#descend(type, root, first, childrenOf);
    }
    if (open > 0) throw refused(`pack has ${open} unresolved deltas`);
  }

  /** @returns the number of deltas that were resolved. */
  #descend(type: ObjectType, root: Found, first: number[], childrenOf: (found: Found) => number[]): number {
    const stack = [{ content: this.#content(root), children: first }];
    let held = stack[0]?.content.length ?? 0;
    let resolved = 0;
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      this.#store.check();
      const next = top.children.pop();
      const found = next === undefined ? undefined : this.#found[next];
      if (found === undefined) {
        held -= top.content.length;
        stack.pop();
        continue;
      }
      const content = this.#applied(top.content, found);
      found.oid = this.#accept({ type, content });
      resolved += 1;
      const children = childrenOf(found);
      if (children.length === 0) continue;
      held += content.length;
      if (held > mostHeld) throw refused('the deltas of the pack need too much memory; push with pack.depth=1');
      stack.push({ content, children });
    }
    return resolved;
  }

  #applied(base: Buffer, found: Found): Buffer {
    try {
      return applyDelta(base, this.#content(found), largestObject);
    } catch (error) {
      throw error instanceof Unprocessable ? error : refused('failed to apply delta');
    }
  }

  #accept(object: StoredObject): Oid {
    const oid = hashOf(object.type, object.content);
    if (object.type === 'blob') return oid;
    const { refers, modules } = faultless(oid, () => checked(object));
    for (const each of refers) this.#refers.add(each);
    for (const each of modules) this.#modules.add(each);
    return oid;
  }

  /** An object of the pack, or of the store. */
  #object(oid: Oid): StoredObject | undefined {
    const index = this.#at.get(oid);
    const found = index === undefined ? undefined : this.#found[index];
    if (found === undefined) return this.#store.read(oid);
    const type = typeOf(found.code);
    const content = this.#content(found);
    if (type !== undefined) return { type, content };
    const { base } = found;
    const parent = typeof base === 'number' ? this.#oidAt(base) : base;
    const object = parent === undefined ? undefined : this.#object(parent);
    return object && { type: object.type, content: this.#applied(object.content, found) };
  }

  #oidAt(wanted: number): Oid | undefined {
    this.#byOffset ??= new Map(this.#found.map(({ offset, oid }) => [offset, oid]));
    return this.#byOffset.get(wanted);
  }

  /** The content of an entry that was scanned: of an object, or of a delta. */
  #content({ start, end, size }: Found): Buffer {
    const bytes = this.#read(start, end);
    return inflateSync(bytes, { chunkSize: Math.max(64, size + 1), maxOutputLength: size + 1 });
  }

  /** The inflated bytes, and how many compressed ones they took. */
  #inflate(start: number, size: number): readonly [content: Buffer, taken: number] {
    const end = this.#size - 20;
    // Deflate makes incompressible bytes longer by five for every few thousand.
    for (let length = size + (size >> 7) + 1024; ; length *= 4) {
      const bytes = this.#bytes(start, Math.min(end, start + length));
      try {
        const options = { info: true, chunkSize: Math.max(64, size + 1), maxOutputLength: size + 1 };
        const { buffer, engine } = inflateSync(bytes, options) as unknown as {
          readonly buffer: Buffer;
          readonly engine: { readonly bytesWritten: number };
        };
        if (buffer.length !== size) throw refused('serious inflate inconsistency');
        return [buffer, engine.bytesWritten];
      } catch (error) {
        if (errnoOf(error) === 'Z_BUF_ERROR' && start + length < end) continue;
        throw error instanceof Unprocessable ? error : refused('inflate returned an error: the pack is damaged');
      }
    }
  }

  #bytes(start: number, end: number): Buffer {
    if (end > this.#size || start > end) throw refused('early EOF');
    if (start < this.#windowAt || end > this.#windowAt + this.#window.length) {
      const bytes = this.#read(start, Math.min(this.#size, start + Math.max(window, end - start)));
      [this.#window, this.#windowAt] = [bytes, start];
    }
    return this.#window.subarray(start - this.#windowAt, end - this.#windowAt);
  }

  #read(start: number, end: number): Buffer {
    const bytes = Buffer.allocUnsafeSlow(end - start);
    for (let read = 0; read < bytes.length;) {
      const count = readSync(this.#fd, bytes, read, bytes.length - read, start + read);
      if (count === 0) throw refused('early EOF');
      read += count;
    }
    return bytes;
  }
}

function listAt<K>(lists: Map<K, number[]>, key: K): number[] {
  const list = lists.get(key) ?? [];
  lists.set(key, list);
  return list;
}

function faultless<T>(oid: Oid, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof Fault ? refused(`object ${oid}: ${error.message}`) : error;
  }
}

const refused = (reason: string): Unprocessable => new Unprocessable(reason, { code: 'pack_refused' });
