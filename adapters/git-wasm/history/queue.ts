// A queue of commits: the latest committer's date first, and among equal dates the one that was added first, as in git.
import type { Commit } from '../objects/commit.ts';

interface Item {
  readonly commit: Commit;
  readonly added: number;
}

const isBefore = (one: Item, other: Item): boolean =>
  one.commit.committed > other.commit.committed ||
  (one.commit.committed === other.commit.committed && one.added < other.added);

/** A binary heap. */
export class CommitQueue {
  readonly #items: Item[] = [];
  #added = 0;

  get size(): number {
    return this.#items.length;
  }

  /** The commit that `take` would return. */
  get first(): Commit | undefined {
    return this.#items[0]?.commit;
  }

  add(commit: Commit): void {
    const items = this.#items;
    const item = { commit, added: (this.#added += 1) };
    let at = items.length;
    items.push(item);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = items[parent];
      if (above === undefined || isBefore(above, item)) break;
      items[at] = above;
      at = parent;
    }
    items[at] = item;
  }

  take(): Commit | undefined {
    const items = this.#items;
    const [first] = items;
    const last = items.pop();
    if (first === undefined || last === undefined || items.length === 0) return first?.commit;
    let at = 0;
    for (;;) {
      const [left, right] = [items[2 * at + 1], items[2 * at + 2]];
      if (left === undefined) break;
      const smaller = right !== undefined && isBefore(right, left) ? 2 * at + 2 : 2 * at + 1;
      const below = items[smaller];
      if (below === undefined || isBefore(last, below)) break;
      items[at] = below;
      at = smaller;
    }
    items[at] = last;
    return first.commit;
  }
}
