// The objects of one repository: packs first, then loose objects. Synchronous: for worker threads alone.
import { readdirSync, statSync } from 'node:fs';
import { Lru } from '#core/kernel/limits/lru';
import type { Oid } from '#core/repositories/git/git-objects';
import { errnoOf } from '#adapters/git-common/files/errno';
import { isOid } from '#adapters/git-common/names';
import type { ObjectType, StoredObject } from '../packs/formats.ts';
import { bases, PackFile, type PackEntry } from '../packs/pack-file.ts';
import { parseCommit, type Commit } from './commit.ts';
import { hasLoose, looseBytes, looseHeader, looseOids, readLoose } from './loose-objects.ts';
import { emptyTree } from './tree.ts';

/** Bytes of the caches of one thread: bases of deltas, and trees. Commits are counted. */
const keptBases = 24 * 1024 ** 2;
const keptTrees = 16 * 1024 ** 2;
const keptCommits = 100_000;

/** The caches that all stores of a thread share. */
export class ObjectCaches {
  readonly bases = bases(keptBases);
  readonly trees = new Lru<Buffer>(keptTrees);
  readonly commits = new Lru<Commit>(keptCommits);
}

let opened = 0;

/** Called at every read, to end work that has taken too long or is not wanted any more. */
export type Check = () => void;

interface Folder {
  /** `objects`, or a folder of the same form. */
  readonly path: string;
  packs: PackFile[];
  /** The time at which the folder of packs was changed last. */
  version: string;
}

export class ObjectStore {
  readonly #folders: readonly Folder[];
  readonly #caches: ObjectCaches;
  /** Begins the keys of its cached objects. */
  readonly #key = `${(opened += 1)}:`;
  check: Check = () => undefined;
  /** Objects that a task has made and that are not stored, such as those of a merge. */
  readonly added = new Map<Oid, StoredObject>();

  /** @param folders of objects; the first one that has an object is used. */
  constructor(folders: readonly string[], caches: ObjectCaches) {
    this.#caches = caches;
    this.#folders = folders.map((path) => ({ path, packs: [], version: '' }));
  }

  /** Notices packs that were added or removed. Cheap if the folder is unchanged. */
  refresh(): void {
    for (const folder of this.#folders) {
      const now = versionOf(`${folder.path}/pack`);
      if (now !== folder.version) rescan(folder, now);
    }
  }

  close(): void {
    for (const folder of this.#folders) for (const pack of folder.packs.splice(0)) pack.close();
  }

  get packs(): readonly PackFile[] {
    return this.#folders.flatMap(({ packs }) => packs);
  }

  get folders(): readonly string[] {
    return this.#folders.map(({ path }) => path);
  }

  /** The pack entry of an object; undefined if it is loose or missing. */
  packed(oid: Oid): PackEntry | undefined {
    const bytes = Buffer.from(oid, 'hex');
    for (const { packs } of this.#folders)
      for (const pack of packs) {
        const position = pack.index.position(bytes);
        if (position >= 0) return pack.entry(pack.index.offsetAt(position));
      }
    return undefined;
  }

  has(oid: Oid): boolean {
    this.check();
    const bytes = Buffer.from(oid, 'hex');
    return (
      this.added.has(oid) ||
      this.#folders.some(({ packs }) => packs.some(({ index }) => index.position(bytes) >= 0)) ||
      this.#folders.some(({ path }) => hasLoose(path, oid))
    );
  }

  header(oid: Oid): { readonly type: ObjectType; readonly size: number } | undefined {
    this.check();
    if (!isOid(oid)) return undefined;
    const own = this.added.get(oid);
    if (own !== undefined) return { type: own.type, size: own.content.length };
    const entry = this.packed(oid);
    if (entry !== undefined) return entry.pack.header(entry.offset);
    for (const { path } of this.#folders) {
      const found = looseHeader(path, oid);
      if (found !== undefined) return { type: found.type, size: found.size };
    }
    return oid === emptyTree ? { type: 'tree', size: 0 } : undefined;
  }

  read(oid: Oid): StoredObject | undefined {
    this.check();
    if (!isOid(oid)) return undefined;
    const own = this.added.get(oid);
    if (own !== undefined) return own;
    const entry = this.packed(oid);
    if (entry !== undefined) return entry.pack.read(entry.offset, this.#caches.bases);
    for (const { path } of this.#folders) {
      const found = readLoose(path, oid);
      if (found !== undefined) return found;
    }
    return oid === emptyTree ? { type: 'tree', content: Buffer.alloc(0) } : undefined;
  }

  /** The content of a tree; undefined if the oid is not that of a tree. */
  tree(oid: Oid): Buffer | undefined {
    const known = this.#caches.trees.get(this.#key + oid);
    if (known !== undefined) return known;
    const own = this.added.get(oid);
    if (own !== undefined) return own.type === 'tree' ? own.content : undefined;
    const object = this.read(oid);
    if (object?.type !== 'tree') return undefined;
    this.#caches.trees.set(this.#key + oid, object.content, 100 + object.content.length);
    return object.content;
  }

  commit(oid: Oid): Commit | undefined {
    const known = this.#caches.commits.get(this.#key + oid);
    if (known !== undefined) return known;
    const own = this.added.get(oid);
    if (own !== undefined) return own.type === 'commit' ? parseCommit(oid, own.content) : undefined;
    const object = this.read(oid);
    if (object?.type !== 'commit') return undefined;
    const commit = parseCommit(oid, object.content);
    this.#caches.commits.set(this.#key + oid, commit);
    return commit;
  }

  /** The commit that an oid leads to, also through tags. */
  peel(oid: Oid): Oid | undefined {
    let at = oid;
    for (let depth = 0; depth < 100; depth += 1) {
      const type = this.header(at)?.type;
      if (type === 'commit') return at;
      if (type !== 'tag') return undefined;
      const target = /^object ([0-9a-f]{40})\n/.exec(this.read(at)?.content.toString('latin1', 0, 60) ?? '')?.[1];
      if (target === undefined) return undefined;
      at = target;
    }
    return undefined;
  }

  /** Bytes of an object on disk. */
  diskBytes(oid: Oid): number {
    const entry = this.packed(oid);
    if (entry !== undefined) return entry.end - entry.offset;
    return this.#folders.reduce((bytes, { path }) => bytes || looseBytes(path, oid), 0);
  }

  /** The oids that begin with these digits, at most `most`. */
  beginningWith(digits: string, most: number): readonly Oid[] {
    const found = new Set<Oid>();
    for (const { packs, path } of this.#folders) {
      for (const { index } of packs) for (const oid of index.beginningWith(digits, most)) found.add(oid);
      for (const [oid] of looseOids(path, digits)) {
        found.add(oid);
        if (found.size >= most) return [...found];
      }
    }
    return [...found];
  }
}

function versionOf(folder: string): string {
  const found = statSync(folder, { throwIfNoEntry: false, bigint: true });
  return found === undefined ? '' : `${found.ino} ${found.mtimeNs}`;
}

function rescan(folder: Folder, version: string): void {
  const place = `${folder.path}/pack`;
  const names = new Set(
    (version === '' ? [] : readdirSync(place)).filter((name) => name.endsWith('.idx')).map((name) => name.slice(0, -4)),
  );
  const kept = folder.packs.filter(({ name }) => names.has(name));
  for (const pack of folder.packs) if (!names.has(pack.name)) pack.close();
  for (const { name } of kept) names.delete(name);
  for (const name of names) {
    try {
      kept.push(new PackFile(place, name));
    } catch (error) {
      // Removed after it was listed.
      if (errnoOf(error) !== 'ENOENT') throw error;
    }
  }
  folder.packs = kept;
  // A folder that changed less than 100 ms ago may change again within the same tick of its clock.
  folder.version = Date.now() - Number(statSync(place, { throwIfNoEntry: false })?.mtimeMs ?? 0) > 100 ? version : '';
}
