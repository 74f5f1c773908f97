// Tasks that read objects: entries, trees, blobs, commits and tags.
import { Internal, NotFound, Unprocessable } from '#core/kernel/errors';
import { zeroOid, type Oid, type TreeEntry, type TreeListing } from '#core/repositories/git/git-backend';
import { pathSegments } from '#adapters/git-common/names';
import type { TaskContext } from './task-context.ts';
import { writeLoose } from './loose-objects.ts';
import type { ObjectStore } from './object-store.ts';
import { commitRecord, tipOf } from './records.ts';
import { decodedName, entriesIn, entryNamed, firstEntries, folderMode, type Entry } from './tree.ts';

const kinds: Readonly<Record<string, TreeEntry['type']>> = {
  [folderMode]: 'directory',
  '120000': 'symlink',
  '160000': 'submodule',
};

function treeEntry(store: ObjectStore, { name, mode, oid }: Entry): TreeEntry {
  const type = kinds[mode] ?? 'file';
  const size = type === 'file' || type === 'symlink' ? (store.header(oid)?.size ?? 0) : 0;
  return { name: decodedName(name), type, mode, oid, size };
}

/** The raw entry at a path; undefined if it is missing. The root has an empty name. */
export function rawEntry(store: ObjectStore, commit: Oid, path: string): Entry | undefined {
  const segments = pathSegments(path);
  const root = segments === undefined ? undefined : store.commit(commit)?.tree;
  if (segments === undefined || root === undefined) return undefined;
  let entry: Entry | undefined = { name: '', mode: folderMode, oid: root };
  for (const segment of segments) {
    const tree: Buffer | undefined = entry.mode === folderMode ? store.tree(entry.oid) : undefined;
    entry = tree && entryNamed(tree, segment);
    if (entry === undefined) return undefined;
  }
  return entry;
}

export const objectTasks = {
  entry: ({ store }: TaskContext, { commit, path }: { readonly commit: Oid; readonly path: string }) => {
    const entry = rawEntry(store, commit, path);
    return entry && treeEntry(store, entry);
  },

  tree: ({ store }: TaskContext, oid: Oid): TreeListing => {
    const content = store.tree(oid);
    if (content === undefined) throw new NotFound('There is no such tree');
    const { entries, truncated } = firstEntries(content);
    return { entries: entries.map((entry) => treeEntry(store, entry)), truncated };
  },

  /** Undefined for a blob of more than `most` bytes. @throws {NotFound} if it is not a blob. */
  blob: (
    { store }: TaskContext,
    { oid, most }: { readonly oid: Oid; readonly most: number },
  ): Uint8Array | undefined => {
    const header = store.header(oid);
    if (header?.type !== 'blob') throw new NotFound('There is no such blob');
    return header.size > most ? undefined : store.read(oid)?.content;
  },

  /** The commits that oids lead to, and whether the objects exist. */
  peel: ({ store }: TaskContext, oids: readonly Oid[]) =>
    oids.map((oid) => ({ commit: store.peel(oid), isThere: store.has(oid) })),

  types: ({ store }: TaskContext, oids: readonly Oid[]) => oids.map((oid) => store.header(oid)?.type),

  beginningWith: ({ store }: TaskContext, { digits, most }: { readonly digits: string; readonly most: number }) =>
    store.beginningWith(digits, most).map((oid) => ({ oid, type: store.header(oid)?.type })),

  commitRecord: ({ store }: TaskContext, oid: Oid) => commitRecord(store, oid),

  tips: ({ store }: TaskContext, oids: readonly Oid[]) => oids.map((oid) => tipOf(store, oid)),

  /** Writes a loose object, durable when it is done. */
  writeTag: ({ directory }: TaskContext, content: Uint8Array) =>
    writeLoose(`${directory}/objects`, { type: 'tag', content: Buffer.from(content) }),

  /** Paths and sizes of the regular files of a commit, at most the first `most`. */
  fileSizes: (
    { store }: TaskContext,
    { commit, most }: { readonly commit: Oid; readonly most: number },
  ): { readonly paths: readonly string[]; readonly sizes: readonly number[] } => {
    const root = store.commit(commit)?.tree;
    if (root === undefined) throw new Internal('A commit is missing', { detail: commit });
    const [paths, sizes]: [string[], number[]] = [[], []];
    for (const { path, mode, oid } of filesBelow(store, root)) {
      if (mode !== '100644' && mode !== '100755') continue;
      if (paths.length === most) break;
      paths.push(decodedName(path));
      sizes.push(store.header(oid)?.size ?? 0);
    }
    return { paths, sizes };
  },
};

/** A file, link or submodule with its path (bytes as latin1). */
export interface FileAt {
  readonly path: string;
  readonly mode: string;
  readonly oid: Oid;
}

/** All files below a tree, in git's order; with `folders`, every folder before its files. */
export function* filesBelow(store: ObjectStore, root: Oid, folders = false): Generator<FileAt> {
  const stack: { readonly prefix: string; readonly entries: Iterator<Entry> }[] = [
    { prefix: '', entries: entriesIn(treeAt(store, root)) },
  ];
  for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
    const { done, value } = top.entries.next();
    if (done === true) {
      stack.pop();
      continue;
    }
    const { name, mode, oid } = value as Entry;
    const path = top.prefix + name;
    if (mode !== folderMode) yield { path, mode, oid };
    else {
      if (stack.length > deepest) throw new Unprocessable('The folders of a commit are nested too deeply');
      if (folders) yield { path, mode, oid };
      stack.push({ prefix: `${path}/`, entries: entriesIn(treeAt(store, oid)) });
    }
  }
}

/** Folders within each other. */
const deepest = 5000;

export function treeAt(store: ObjectStore, oid: Oid): Buffer {
  if (oid === zeroOid) return Buffer.alloc(0);
  const tree = store.tree(oid);
  if (tree === undefined) throw new Internal('A tree is missing', { detail: oid });
  return tree;
}

type ObjectTasks = typeof objectTasks;

declare module '../threads/registry.ts' {
  interface Tasks extends ObjectTasks {}
}
