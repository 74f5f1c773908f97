// Lists commits in the order of git-rev-list(1), with its default simplification of the history of a path.
import type { Oid } from '#core/repositories/git/git-backend';
import { entryNamed, folderMode } from '../objects/tree.ts';
import type { Commit } from '../objects/commit.ts';
import type { ObjectStore } from '../objects/object-store.ts';
import { commitTexts } from '../objects/records.ts';
import { ancestors, assertCommits } from './ancestry.ts';
import { CommitQueue } from './queue.ts';
import { inUtf8 } from '../objects/encodings.ts';

export interface RevList {
  readonly tip: Oid;
  readonly except?: Oid | undefined;
  /** Segments; none for the whole history. */
  readonly path: readonly string[];
  readonly author?: string | undefined;
  /** Seconds since 1970. */
  readonly since?: number | undefined;
  readonly until?: number | undefined;
  readonly skip: number;
  readonly limit: number;
}

export function revList(store: ObjectStore, query: RevList): readonly Oid[] {
  const { tip, except, path, author, since = 0, until = Number.POSITIVE_INFINITY, skip, limit } = query;
  const excluded = except === undefined ? undefined : ancestors(store, [except]);
  const queue = new CommitQueue();
  const seen = new Set<Oid>();
  const paths = new PathAt(store, path);
  const add = (oid: Oid): void => {
    if (seen.has(oid) || excluded?.has(oid) === true) return;
    seen.add(oid);
    const commit = store.commit(oid);
    if (commit !== undefined) queue.add(commit);
  };
  const found: Oid[] = [];
  let left = skip;
  assertCommits(store, tip, ...(except === undefined ? [] : [except]));
  add(tip);
  for (let commit = queue.take(); commit !== undefined; commit = queue.take()) {
    store.check();
    if (commit.committed < since) continue;
    const { parents, isShown } =
      path.length === 0
        ? { parents: commit.parents, isShown: true }
        : simplified(store, paths, commit, (oid) => excluded?.has(oid) === true && oid !== except);
    for (const parent of parents) add(parent);
    if (!isShown || commit.committed > until || (author !== undefined && !hasAuthor(store, commit.oid, author)))
      continue;
    if (left > 0) left -= 1;
    else if (found.push(commit.oid) >= limit) break;
  }
  return found;
}

/** gitrevisions(7), "History Simplification", default mode: of a merge, the first parent with the same content. */
function simplified(
  store: ObjectStore,
  paths: PathAt,
  commit: Commit,
  isIrrelevant: (oid: Oid) => boolean,
): { readonly parents: readonly Oid[]; readonly isShown: boolean } {
  const own = paths.of(commit.tree);
  if (commit.parents.length === 0) return { parents: [], isShown: own !== undefined };
  let [relevant, changed, changedElsewhere] = [0, false, false];
  for (const parent of commit.parents) {
    const found = store.commit(parent);
    const irrelevant = isIrrelevant(parent);
    if (!irrelevant) relevant += 1;
    if (found !== undefined && paths.of(found.tree) === own) {
      if (!irrelevant) return { parents: [parent], isShown: false };
    } else if (irrelevant) changedElsewhere = true;
    else changed = true;
  }
  return { parents: commit.parents, isShown: relevant > 0 ? changed : changedElsewhere };
}

/** Looks up a path in trees: `mode oid` of its entry, or undefined. */
export class PathAt {
  readonly #store: ObjectStore;
  readonly #path: readonly string[];
  readonly #known = new Map<Oid, string | undefined>();

  constructor(store: ObjectStore, path: readonly string[]) {
    this.#store = store;
    this.#path = path;
  }

  of(tree: Oid): string | undefined {
    if (this.#path.length === 0) return `${folderMode} ${tree}`;
    return this.#at(tree, 0);
  }

  #at(tree: Oid, depth: number): string | undefined {
    const key = `${depth}${tree}`;
    if (this.#known.has(key)) return this.#known.get(key);
    const content = this.#store.tree(tree);
    const entry = content === undefined ? undefined : entryNamed(content, this.#path[depth] ?? '');
    const found =
      entry === undefined
        ? undefined
        : depth === this.#path.length - 1
          ? `${entry.mode} ${entry.oid}`
          : entry.mode === folderMode
            ? this.#at(entry.oid, depth + 1)
            : undefined;
    if (this.#known.size > mostKnown) this.#known.clear();
    this.#known.set(key, found);
    return found;
  }
}

const mostKnown = 100_000;

/** Whether `Name <email>` of the author contains the text. */
function hasAuthor(store: ObjectStore, oid: Oid, text: string): boolean {
  const object = store.read(oid);
  if (object === undefined) return false;
  const { author, encoding } = commitTexts(object.content, 0);
  const line = inUtf8(author, encoding).toString('utf8');
  return line.slice(0, line.lastIndexOf('>') + 1).includes(text);
}
