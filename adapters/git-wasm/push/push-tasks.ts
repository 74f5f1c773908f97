// Tasks of pushes: checking a pack, and writing the objects of a change that the server makes itself.
import { closeSync, openSync } from 'node:fs';
import { Internal, Unprocessable } from '#core/kernel/errors';
import { zeroOid, type Oid } from '#core/repositories/git/git-backend';
import type { FileWrite } from '#core/repositories/git/git-history';
import { pathSegments } from '#adapters/git-common/names';
import { hashOf } from '../objects/loose-objects.ts';
import type { ObjectStore } from '../objects/object-store.ts';
import { treeAt } from '../objects/object-tasks.ts';
import { recordOf } from '../objects/records.ts';
import { entriesIn, entryNamed, folderMode, treeContent, type Entry } from '../objects/tree.ts';
import type { StoredObject } from '../packs/formats.ts';
import { indexPack } from '../packing/index-pack.ts';
import { writeNewPack } from '../packing/pack-writer.ts';
import type { TaskContext } from '../objects/task-context.ts';
import { commitContent } from '#adapters/git-common/objects/commit-content';

export interface MadeObject extends StoredObject {
  readonly oid: Oid;
}

export const made = (type: StoredObject['type'], content: Buffer): MadeObject => ({
  type,
  content,
  oid: hashOf(type, content),
});

/** Writes a pack of new objects, each once. */
export function writeMade(packPath: string, objects: readonly MadeObject[]): void {
  const fd = openSync(packPath, 'wx', 0o600);
  try {
    writeNewPack(fd, [...new Map(objects.map((object) => [object.oid, object])).values()]);
  } finally {
    closeSync(fd);
  }
}

export const pushTasks = {
  indexPack: (
    { store }: TaskContext,
    {
      packPath,
      indexPath,
      tips,
    }: { readonly packPath: string; readonly indexPath: string; readonly tips: readonly Oid[] },
  ) => indexPack(packPath, indexPath, store, tips),

  /** Writes the objects of a commit that changes one file to a pack. */
  makeWrite: (
    { store }: TaskContext,
    { change, packPath }: { readonly change: Omit<FileWrite, 'ref' | 'old'>; readonly packPath: string },
  ) => {
    const { file, parent } = change;
    const blob = file === undefined ? undefined : made('blob', Buffer.from(file.content));
    const trees = changedTrees(store, change, blob?.oid);
    const root = trees.at(-1);
    if (root === undefined) throw new Internal('A commit was made without a tree');
    const parents = parent === zeroOid ? [] : [parent];
    const commit = made('commit', commitContent({ ...change, tree: root.oid, parents }));
    writeMade(packPath, [...(blob === undefined ? [] : [blob]), ...trees, commit]);
    return { commit: recordOf(commit.oid, commit.content), blob: blob?.oid };
  },
};

/** The folders that change, from the innermost to the root. */
function changedTrees(
  store: ObjectStore,
  { parent, path, file }: Omit<FileWrite, 'ref' | 'old'>,
  blob: Oid | undefined,
): readonly MadeObject[] {
  const names = [...(pathSegments(path) ?? [])];
  const name = names.pop();
  if (name === undefined) throw new Unprocessable('The path names no file', { detail: `path: "${path}"` });
  const folders = presentFolders(store, parent, names);
  const trees: MadeObject[] = [];
  let entry: Omit<Entry, 'name'> | undefined =
    blob === undefined ? undefined : { mode: file?.mode ?? '100644', oid: blob };
  for (const [index, key] of [...names, name].entries().toArray().reverse()) {
    const raw = Buffer.from(key, 'utf8').toString('latin1');
    const kept = [...entriesIn(folders[index] ?? Buffer.alloc(0))].filter((each) => each.name !== raw);
    const content = treeContent(entry === undefined ? kept : [...kept, { ...entry, name: raw }]);
    const tree = made('tree', content);
    // git stores no empty folders except the root.
    if (content.length > 0 || index === 0) trees.push(tree);
    entry = content.length === 0 ? undefined : { mode: folderMode, oid: tree.oid };
  }
  return trees;
}

/**
 * The present folders of a path, from the root; empty for folders that do not exist yet.
 * @throws {Unprocessable} if a name on the path is not a folder.
 */
function presentFolders(store: ObjectStore, parent: Oid, names: readonly string[]): readonly Buffer[] {
  const commit = parent === zeroOid ? undefined : store.commit(parent);
  if (commit === undefined && parent !== zeroOid)
    throw new Internal('A branch leads to no commit', { detail: `commit: "${parent}"` });
  let tree = commit === undefined ? Buffer.alloc(0) : treeAt(store, commit.tree);
  const folders = [tree];
  for (const name of names) {
    const entry = entryNamed(tree, name);
    if (entry !== undefined && entry.mode !== folderMode)
      throw new Unprocessable('The path leads through what is no folder', {
        detail: `path: "${name}" is a file, a link or a submodule`,
      });
    tree = entry === undefined ? Buffer.alloc(0) : treeAt(store, entry.oid);
    folders.push(tree);
  }
  return folders;
}

type PushTasks = typeof pushTasks;

declare module '../threads/registry.ts' {
  interface Tasks extends PushTasks {}
}
