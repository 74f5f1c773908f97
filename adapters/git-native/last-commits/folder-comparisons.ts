// Compares one folder between a commit and its parent, and caches the comparisons.
import { Lru } from '#core/kernel/limits/lru';
import type { Oid } from '#core/repositories/git/git-backend';
import type { Objects } from '../objects/objects.ts';
import { pathSegments } from '#adapters/git-common/names';
import type { RepositoryLocation } from '../storage/repositories.ts';
import type { ChangedNames, TreeDiffs } from './tree-diffs.ts';
import { WithParts } from '../with-parts.ts';

export interface Comparison {
  /** Whether the comparison has finished. */
  settled: boolean;
  /** The names that differ from the parent or are missing there; undefined if the parent does not have the folder. */
  changed: ChangedNames | undefined;
  readonly done: Promise<void>;
}

const none: ChangedNames = new Set();
/** The number of names that concurrent comparisons may return, estimated from the widest recent comparison. */
const namesAtOnce = 50_000;

export interface FolderComparisonsParts {
  readonly objects: Objects;
  readonly location: RepositoryLocation;
  readonly path: string;
  readonly diffs: TreeDiffs;
}

export class FolderComparisons extends WithParts<FolderComparisonsParts> {
  /** Whether git can look up the path as `COMMIT:PATH` on one line. */
  readonly #isPlain = !/[\n\uFFFD]/.test(this.parts.path);
  readonly #folders = new Lru<Promise<Oid | undefined>>(4000);
  /** Weighed by names. */
  readonly #comparisons = new Lru<Comparison>(100_000);
  /** By the two folders, which many pairs of commits share. Weighed by names. */
  readonly #differences = new Lru<Promise<ChangedNames>>(100_000);
  #widest = 0;
  /** The names that are compared. */
  wanted: ReadonlySet<string> = none;

  /** The number of comparisons that may run at the same time, at most `most`. */
  atOnce(most: number): number {
    return Math.max(1, Math.min(most, Math.floor(namesAtOnce / (1 + this.#widest))));
  }

  of(commit: Oid, parent: Oid): Comparison {
    const key = `${commit}${parent}`;
    const known = this.#comparisons.get(key);
    if (known !== undefined) return known;
    const comparison: Comparison = {
      settled: false,
      changed: undefined,
      done: this.#compare(commit, parent).then((changed) => {
        comparison.changed = changed;
        comparison.settled = true;
        this.#widest = Math.max(this.#widest * 0.9, changed?.size ?? 0);
        this.#comparisons.set(key, comparison, 10 + (changed?.size ?? 0));
      }),
    };
    // Callers that await `done` receive the error.
    comparison.done.catch(() => undefined);
    this.#comparisons.set(key, comparison, 10);
    return comparison;
  }

  /** The oid of the folder in a commit; undefined if it does not exist. */
  folder(commit: Oid): Promise<Oid | undefined> {
    const known = this.#folders.get(commit);
    if (known !== undefined) return known;
    const found = this.#find(commit);
    found.catch(() => undefined);
    this.#folders.set(commit, found);
    return found;
  }

  async #compare(commit: Oid, parent: Oid): Promise<ChangedNames | undefined> {
    const [own, theirs] = await Promise.all([this.folder(commit), this.folder(parent)]);
    if (theirs === undefined) return undefined;
    return own === undefined || own === theirs ? none : await this.#between(theirs, own);
  }

  #between(theirs: Oid, own: Oid): Promise<ChangedNames> {
    const key = `${theirs}${own}`;
    const known = this.#differences.get(key);
    if (known !== undefined) return known;
    const changed = this.parts.diffs.between(theirs, own, this.wanted);
    this.#differences.set(key, changed, 10);
    changed.then(
      ({ size }) => this.#differences.set(key, changed, 10 + size),
      () => undefined,
    );
    return changed;
  }

  async #find(commit: Oid): Promise<Oid | undefined> {
    const { objects, location, path } = this.parts;
    if (this.#isPlain) {
      const found = await objects.header(location, path === '' ? `${commit}^{tree}` : `${commit}:${path}`);
      return found?.type === 'tree' ? found.oid : undefined;
    }
    const root = (await objects.commit(location, commit))?.tree;
    return root === undefined ? undefined : await objects.folder(location, root, pathSegments(path) ?? []);
  }
}
