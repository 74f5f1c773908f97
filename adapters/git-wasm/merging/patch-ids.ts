// Recognizes commits that make the same change, as git-patch-id(1): by their diff without line numbers and whitespace.
import { createHash } from 'node:crypto';
import { zeroOid } from '#core/repositories/git/git-backend';
import { sectionsOf } from '../diffs/file-patch.ts';
import { treeDiff, type FilePair } from '../diffs/tree-diff.ts';
import type { Commit } from '../objects/commit.ts';
import type { ObjectStore } from '../objects/object-store.ts';

/** Those of `commits` whose change one of `others` makes too. */
export function alreadyMade(
  store: ObjectStore,
  commits: readonly Commit[],
  others: readonly Commit[],
): ReadonlySet<string> {
  const byPaths = new Map<string, { readonly commit: Commit; readonly pairs: readonly FilePair[] }[]>();
  for (const commit of others) {
    const pairs = changeOf(store, commit);
    const key = pathsOf(pairs);
    byPaths.set(key, [...(byPaths.get(key) ?? []), { commit, pairs }]);
  }
  const found = new Set<string>();
  for (const commit of commits) {
    const pairs = changeOf(store, commit);
    const candidates = byPaths.get(pathsOf(pairs)) ?? [];
    if (candidates.length === 0) continue;
    const id = patchId(store, pairs);
    if (candidates.some((other) => patchId(store, other.pairs) === id)) found.add(commit.oid);
  }
  return found;
}

function changeOf(store: ObjectStore, { tree, parents }: Commit): readonly FilePair[] {
  const [parent] = parents;
  const before = parent === undefined ? zeroOid : (store.commit(parent)?.tree ?? zeroOid);
  return [...treeDiff(store, before, tree)];
}

const pathsOf = (pairs: readonly FilePair[]): string =>
  pairs.map(({ newPath, oldMode, newMode }) => `${oldMode} ${newMode} ${newPath}`).join('\0');

function patchId(store: ObjectStore, pairs: readonly FilePair[]): string {
  const hash = createHash('sha1');
  for (const pair of pairs) {
    hash.update(`${pair.newPath}\0`);
    for (const { hunks, isBinary } of sectionsOf(store, pair, 'myers')) {
      if (isBinary) hash.update(`${pair.oldOid} ${pair.newOid}`);
      const lines = hunks
        .toString('latin1')
        .split('\n')
        .filter((line) => !line.startsWith('@@ '));
      for (const line of lines) hash.update(line.replaceAll(/[ \t\r\f\v]+/g, ''), 'latin1');
    }
  }
  return hash.digest('hex');
}
