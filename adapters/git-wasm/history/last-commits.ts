// Finds the last commit that changed each entry of a folder, as `git log -1 -- path` does: an entry continues to the
// first parent in which it is the same, and a commit without such a parent is the answer.
import type { LastCommit, Oid } from '#core/repositories/git/git-backend';
import { commitRecord, subjectOf } from '../objects/records.ts';
import { decodedName, entriesIn, firstEntries } from '../objects/tree.ts';
import type { ObjectStore } from '../objects/object-store.ts';
import { folderMode } from '../objects/tree.ts';
import { PathAt } from './rev-list.ts';
import { CommitQueue } from './queue.ts';

/** Entries by name, each as `mode oid`. */
type Entries = ReadonlyMap<string, string>;

/** The answers so far when `isLate` becomes true. */
export function lastCommits(
  store: ObjectStore,
  tip: Oid,
  path: readonly string[],
  isLate: () => boolean,
): ReadonlyMap<string, LastCommit> {
  const start = store.commit(tip);
  const paths = new PathAt(store, path);
  const folderOf = (tree: Oid): Oid | undefined => {
    const found = paths.of(tree);
    return found?.startsWith(`${folderMode} `) === true ? found.slice(folderMode.length + 1) : undefined;
  };
  const root = start === undefined ? undefined : folderOf(start.tree);
  const content = root === undefined ? undefined : store.tree(root);
  const found = new Map<string, LastCommit>();
  if (start === undefined || content === undefined) return found;
  const comparison = new Comparison(store);
  const waiting = new Map<Oid, string[]>([[tip, firstEntries(content).entries.map(({ name }) => name)]]);
  const queue = new CommitQueue();
  queue.add(start);
  for (let commit = queue.take(); commit !== undefined; commit = queue.take()) {
    if (isLate()) break;
    let names = waiting.get(commit.oid) ?? [];
    waiting.delete(commit.oid);
    const folder = folderOf(commit.tree);
    for (const parent of commit.parents) {
      if (names.length === 0) break;
      const before = store.commit(parent);
      if (before === undefined) continue;
      const other = folderOf(before.tree);
      const same = folder === other ? names : comparison.same(folder, other, names);
      if (same.length === 0) continue;
      const there = waiting.get(parent);
      if (there === undefined) {
        waiting.set(parent, [...same]);
        queue.add(before);
      } else for (const name of same) there.push(name);
      const gone = new Set(same);
      names = same === names ? [] : names.filter((name) => !gone.has(name));
    }
    if (names.length === 0) continue;
    const answer = lastCommit(store, commit.oid);
    if (answer !== undefined) for (const name of names) found.set(decodedName(name), answer);
  }
  return found;
}

function lastCommit(store: ObjectStore, oid: Oid): LastCommit | undefined {
  const record = commitRecord(store, oid);
  return record && { oid, subject: subjectOf(record), committedAt: record.committer.date };
}

/** Compares folders, each of which is usually compared twice. */
class Comparison {
  readonly #store: ObjectStore;
  readonly #known = new Map<Oid, Entries>();

  constructor(store: ObjectStore) {
    this.#store = store;
  }

  same(one: Oid | undefined, other: Oid | undefined, names: readonly string[]): string[] {
    const [left, right] = [this.#entries(one), this.#entries(other)];
    return names.filter((name) => left.get(name) === right.get(name));
  }

  #entries(oid: Oid | undefined): Entries {
    if (oid === undefined) return new Map();
    const known = this.#known.get(oid);
    if (known !== undefined) return known;
    const content = this.#store.tree(oid) ?? Buffer.alloc(0);
    const entries = new Map<string, string>();
    for (const { name, mode, oid: own } of entriesIn(content)) entries.set(name, `${mode} ${own}`);
    if (this.#known.size > 16) this.#known.delete(this.#known.keys().next().value ?? '');
    this.#known.set(oid, entries);
    return entries;
  }
}
