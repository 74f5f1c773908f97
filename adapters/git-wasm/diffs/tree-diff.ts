// The files that differ between two trees, in git's order: git-diff-tree(1) with -r.
import { zeroOid, type Oid } from '#core/repositories/git/git-backend';
import type { ObjectStore } from '../objects/object-store.ts';
import { treeAt } from '../objects/object-tasks.ts';
import { emptyTree, entriesIn, folderMode, sortKey, type Entry } from '../objects/tree.ts';

/** No file. */
export const noMode = '000000';

/** A difference of one path. A file that is missing on a side has no mode and the zero oid there. */
export interface FilePair {
  /** Bytes as latin1. */
  readonly oldPath: string;
  readonly newPath: string;
  readonly oldMode: string;
  readonly newMode: string;
  readonly oldOid: Oid;
  readonly newOid: Oid;
  /** Of a rename: up to 60,000. */
  readonly score?: number;
}

/** Trees may be the zero oid, for none. */
export function* treeDiff(store: ObjectStore, one: Oid, other: Oid, prefix = ''): Generator<FilePair> {
  if (one === other) return;
  store.check();
  const [left, right] = [iterate(store, one), iterate(store, other)];
  let [a, b] = [left.next().value, right.next().value];
  while (a !== undefined || b !== undefined) {
    const order = a === undefined ? 1 : b === undefined ? -1 : compare(sortKey(a), sortKey(b));
    if (order !== 0 || a === undefined || b === undefined) {
      const entry = order < 0 ? a : b;
      if (entry !== undefined) yield* sided(store, entry, prefix, order < 0);
    } else if (a.oid !== b.oid || a.mode !== b.mode) {
      const path = prefix + a.name;
      if (a.mode === folderMode) yield* treeDiff(store, a.oid, b.oid, `${path}/`);
      else yield { oldPath: path, newPath: path, oldMode: a.mode, newMode: b.mode, oldOid: a.oid, newOid: b.oid };
    }
    if (order <= 0) a = left.next().value;
    if (order >= 0) b = right.next().value;
  }
}

const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

function iterate(store: ObjectStore, oid: Oid): Iterator<Entry, undefined> {
  const entries = entriesIn(oid === emptyTree ? Buffer.alloc(0) : treeAt(store, oid));
  return entries as Iterator<Entry, undefined>;
}

/** Everything below an entry that only one side has. */
function* sided(store: ObjectStore, { name, mode, oid }: Entry, prefix: string, isOld: boolean): Generator<FilePair> {
  const path = prefix + name;
  if (mode === folderMode) {
    yield* isOld ? treeDiff(store, oid, zeroOid, `${path}/`) : treeDiff(store, zeroOid, oid, `${path}/`);
    return;
  }
  const [there, gone] = [
    { mode, oid },
    { mode: noMode, oid: zeroOid },
  ];
  const [old, now] = isOld ? [there, gone] : [gone, there];
  yield { oldPath: path, newPath: path, oldMode: old.mode, newMode: now.mode, oldOid: old.oid, newOid: now.oid };
}
