// Finds folders that one side has renamed while the other side has added files to them. As with git's default
// `merge.directoryRenames=conflict`, such a file is a conflict at its path in the renamed folder.
import type { Oid } from '#core/repositories/git/git-backend';
import { noMode, type FilePair } from '../diffs/tree-diff.ts';
import { PathAt } from '../history/rev-list.ts';
import type { ObjectStore } from '../objects/object-store.ts';
import { folderMode } from '../objects/tree.ts';

const parentOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')));
const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** A renamed folder's new path; undefined if its files have moved to several folders equally. */
type Renamed = ReadonlyMap<string, string | undefined>;

export interface DirectoryConflicts {
  readonly paths: readonly string[];
  /** Whether the files of a folder have moved to several others, which is a conflict without a path. */
  readonly isSplit: boolean;
}

/**
 * @param side the changes of a side since the base, with renames, and its tree.
 * @param others the changes of the other side.
 */
export function directoryConflicts(
  store: ObjectStore,
  { changes, tree }: { readonly changes: readonly FilePair[]; readonly tree: Oid },
  others: readonly FilePair[],
): DirectoryConflicts {
  const renamed = renamedFolders(store, changes, tree);
  const paths: string[] = [];
  let isSplit = false;
  if (renamed.size === 0) return { paths, isSplit };
  for (const { oldMode, newMode, oldPath, newPath } of others) {
    if (newMode === noMode || (oldMode !== noMode && oldPath === newPath)) continue;
    for (let folder = parentOf(newPath); folder !== ''; folder = parentOf(folder)) {
      if (!renamed.has(folder)) continue;
      const target = renamed.get(folder);
      if (target === undefined) isSplit = true;
      else paths.push(`${target === '' ? '' : `${target}/`}${newPath.slice(folder.length + 1)}`);
      break;
    }
  }
  return { paths, isSplit };
}

function renamedFolders(store: ObjectStore, changes: readonly FilePair[], tree: Oid): Renamed {
  const counts = new Map<string, Map<string, number>>();
  for (const { oldPath, newPath, score } of changes) {
    if (score === undefined) continue;
    let [from, to] = [parentOf(oldPath), parentOf(newPath)];
    while (from !== '' && from !== to) {
      const targets = counts.get(from) ?? new Map<string, number>();
      counts.set(from, targets.set(to, (targets.get(to) ?? 0) + 1));
      if (nameOf(from) !== nameOf(to)) break;
      [from, to] = [parentOf(from), parentOf(to)];
    }
  }
  const renamed = new Map<string, string | undefined>();
  for (const [folder, targets] of counts) {
    const segments = folder.split('/').map((each) => Buffer.from(each, 'latin1').toString('utf8'));
    if (new PathAt(store, segments).of(tree)?.startsWith(folderMode) === true) continue;
    const most = Math.max(...targets.values());
    const best = [...targets].filter(([, count]) => count === most);
    renamed.set(folder, best.length === 1 ? best[0]?.[0] : undefined);
  }
  return renamed;
}
