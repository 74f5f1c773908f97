// Tasks that compare commits.
import { isUtf8 } from 'node:buffer';
import { Internal } from '#core/kernel/errors';
import { longest } from '#core/repositories/git/clipping';
import {
  zeroOid,
  type DiffCaps,
  type Oid,
  type Patch,
  type PatchQuery,
  type TreeChange,
  type TreeChanges,
} from '#core/repositories/git/git-backend';
import type { Difference, FileChange } from '#core/repositories/git/git-history';
import type { ObjectStore } from '../objects/object-store.ts';
import { decodedName } from '../objects/tree.ts';
import type { TaskContext } from '../objects/task-context.ts';
import { sectionsOf } from './file-patch.ts';
import { patchOf } from './patch-reader.ts';
import { withRenames } from './renames.ts';
import { noMode, treeDiff, type FilePair } from './tree-diff.ts';

/** The most files of a difference, characters of the patch of one file, and bytes of all patches. */
const mostFiles = 3000;
const longestPatch = 128 * 1024;
const mostPatchBytes = 512 * 1024;
/** Differences of more files are not made. */
const mostPairs = 500_000;

const isFile = (mode: string): boolean => mode === '100644' || mode === '100755';

function treeOf(store: ObjectStore, commit: Oid): Oid {
  const found = store.commit(commit);
  if (found === undefined) throw new Internal('A commit to be compared is missing', { detail: commit });
  return found.tree;
}

/** The files that differ, with renames. */
export function pairsOf(
  store: ObjectStore,
  from: Oid | undefined,
  to: Oid,
  paths: readonly string[] = [],
): readonly FilePair[] {
  const [one, other] = [from === undefined ? zeroOid : treeOf(store, from), treeOf(store, to)];
  const wanted = paths.map((path) => Buffer.from(path, 'utf8').toString('latin1'));
  const isWanted = (path: string): boolean =>
    wanted.length === 0 || wanted.some((each) => path === each || path.startsWith(`${each.replace(/\/$/, '')}/`));
  const pairs: FilePair[] = [];
  for (const pair of treeDiff(store, one, other)) {
    if (isWanted(pair.newPath)) pairs.push(pair);
    if (pairs.length > mostPairs) throw new Internal('The commits are too far apart to be compared');
  }
  return withRenames(store, pairs);
}

export const diffTasks = {
  treeChanges: (
    { store }: TaskContext,
    {
      from,
      to,
      after,
      limit,
    }: { readonly from: Oid | undefined; readonly to: Oid; readonly after: string | undefined; readonly limit: number },
  ): TreeChanges => {
    const beyond = after === undefined ? undefined : Buffer.from(after, 'utf8').toString('latin1');
    const changes: TreeChange[] = [];
    for (const { newPath, oldMode, newMode, oldOid, newOid } of treeDiff(
      store,
      from === undefined ? zeroOid : treeOf(store, from),
      treeOf(store, to),
    )) {
      const [old, now] = [isFile(oldMode) ? oldOid : undefined, isFile(newMode) ? newOid : undefined];
      if (old === now || (beyond !== undefined && newPath <= beyond)) continue;
      const path = decodedName(newPath);
      if (path.length > longest.path || (path.includes('\uFFFD') && !isUtf8(Buffer.from(newPath, 'latin1')))) continue;
      if (changes.length === limit) return { changes, more: true };
      changes.push({ path, old, new: now });
    }
    return { changes, more: false };
  },

  difference: (
    { store }: TaskContext,
    { from, to }: { readonly from: Oid | undefined; readonly to: Oid },
  ): Difference => {
    const pairs = pairsOf(store, from, to);
    const files: FileChange[] = [];
    let [additions, deletions, patchBytes] = [0, 0, 0];
    for (const [index, pair] of pairs.entries()) {
      const sections = sectionsOf(store, pair, 'myers');
      const sum = (key: 'additions' | 'deletions'): number =>
        sections.reduce((count, section) => count + section[key], 0);
      const counts = { additions: sum('additions'), deletions: sum('deletions') };
      additions += counts.additions;
      deletions += counts.deletions;
      patchBytes += sections.reduce((bytes, { header, hunks }) => bytes + header.length + hunks.length, 0);
      const [path, previousPath] = [decodedName(pair.newPath), decodedName(pair.oldPath)];
      if (index >= mostFiles || path.length > longest.path || previousPath.length > longest.path) continue;
      const isBinary = sections.some((section) => section.isBinary);
      const shown = sections
        .filter(({ hunks }) => hunks.length > 0)
        .map(({ hunks }) => hunks.toString('utf8').replace(/\n$/, ''));
      const patch = isBinary || patchBytes > mostPatchBytes ? '' : shown.join('\n');
      files.push({
        path,
        status:
          pair.oldMode === noMode
            ? 'added'
            : pair.newMode === noMode
              ? 'removed'
              : pair.score === undefined
                ? 'modified'
                : 'renamed',
        ...(pair.score !== undefined && { previousPath }),
        ...counts,
        isBinary,
        ...(patch !== '' && patch.length <= longestPatch && { patch }),
      });
    }
    return { files, truncated: files.length < pairs.length, additions, deletions };
  },

  patch: ({ store }: TaskContext, { query, caps }: { readonly query: PatchQuery; readonly caps: DiffCaps }): Patch =>
    patchOf(store, pairsOf(store, query.from, query.to, query.paths), query.algorithm, caps),
};

type DiffTasks = typeof diffTasks;

declare module '../threads/registry.ts' {
  interface Tasks extends DiffTasks {}
}
