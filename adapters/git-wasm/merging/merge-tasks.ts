// Tasks of merges: a merge, a squash or a rebase of two commits, made in memory and written to a pack.
import { Conflict, Internal } from '#core/kernel/errors';
import { longest } from '#core/repositories/git/clipping';
import { mostConflicts, mostRebased, type MergeStrategy, type Oid } from '#core/repositories/git/git-backend';
import type { Signature } from '#core/repositories/git/git-history';
import { ancestors, mergeBases } from '../history/ancestry.ts';
import { reachable } from '../history/reachable.ts';
import type { Commit } from '../objects/commit.ts';
import { inUtf8 } from '../objects/encodings.ts';
import type { ObjectStore } from '../objects/object-store.ts';
import { commitTexts } from '../objects/records.ts';
import { emptyTree } from '../objects/tree.ts';
import { commitContent, signatureText } from '#adapters/git-common/objects/commit-content';
import { writeMade } from '../push/push-tasks.ts';
import type { TaskContext } from '../objects/task-context.ts';
import { alreadyMade } from './patch-ids.ts';
import { add, mergeTrees, type MergedTree } from './tree-merge.ts';

export interface MergeRequest {
  readonly target: Oid;
  readonly source: Oid;
  readonly strategy: MergeStrategy;
  /** Undefined for a trial. */
  readonly change?: {
    readonly message: string;
    readonly author: Signature;
    readonly committer: Signature;
    readonly packPath: string;
  };
}

export type MadeMerge =
  | { readonly kind: 'commit'; readonly oid: Oid }
  | { readonly kind: 'nothing' }
  | { readonly kind: 'conflict'; readonly conflicts: readonly string[] };

export const mergeTasks = {
  merge: ({ store }: TaskContext, request: MergeRequest): MadeMerge => {
    const made = request.strategy === 'rebase' ? rebased(store, request) : merged(store, request);
    const { change, target, source } = request;
    if (made.kind === 'commit' && change !== undefined) {
      const sent = reachable(store, { wants: [made.oid], haves: [target, source] });
      writeMade(
        change.packPath,
        [...sent].flatMap((oid) => {
          const object = store.added.get(oid);
          return object === undefined ? [] : [{ ...object, oid }];
        }),
      );
    }
    return made;
  },
};

function commitAt(store: ObjectStore, oid: Oid): Commit {
  const commit = store.commit(oid);
  if (commit === undefined) throw new Internal('A commit to be merged is missing', { detail: oid });
  return commit;
}

const conflict = (conflicts: readonly string[]): MadeMerge => ({
  kind: 'conflict',
  conflicts: conflicts.filter((path) => path.length <= longest.path).slice(0, mostConflicts),
});

function merged(store: ObjectStore, { target, source, strategy, change }: MergeRequest): MadeMerge {
  const bases = mergeBases(store, target, source);
  const base = baseTree(store, bases);
  if (base === undefined) return conflict([]);
  if (!base.isClean) return conflict(base.conflicts);
  const [ours, theirs] = [commitAt(store, target), commitAt(store, source)];
  const { tree, isClean, conflicts } = mergeTrees(store, base.tree, ours.tree, theirs.tree);
  if (!isClean) return conflict(conflicts);
  // A merge that leaves the tree unchanged is still made, unless the target already contains the source commits.
  if (tree === ours.tree && (strategy === 'squash' || bases.includes(source))) return { kind: 'nothing' };
  if (change === undefined) return { kind: 'commit', oid: target };
  const parents = strategy === 'squash' ? [target] : [target, source];
  return { kind: 'commit', oid: add(store, 'commit', commitContent({ ...change, tree, parents })) };
}

/**
 * The tree of the best common ancestor. Several are merged with each other, as git does; if they conflict, so does the
 * merge.
 */
function baseTree(store: ObjectStore, [first, ...others]: readonly Oid[], depth = 0): MergedTree | undefined {
  if (first === undefined) return undefined;
  let tree = commitAt(store, first).tree;
  for (const other of others) {
    // Of bases that have several bases themselves, the newest is taken in the end.
    const bases = mergeBases(store, first, other);
    const below = baseTree(store, depth < deepestBases ? bases : bases.slice(0, 1), depth + 1);
    const merged = mergeTrees(
      store,
      below?.isClean === true ? below.tree : emptyTree,
      tree,
      commitAt(store, other).tree,
    );
    if (!merged.isClean) return merged;
    ({ tree } = merged);
  }
  return { tree, isClean: true, conflicts: [] };
}

/** Criss-cross merges within each other. */
const deepestBases = 10;

/** Copies the commits that `git rebase` would pick onto the target, one after another. */
function rebased(store: ObjectStore, { target, source, change }: MergeRequest): MadeMerge {
  let tip = target;
  let { tree } = commitAt(store, target);
  let isChanged = false;
  for (const { commit, isThere } of picks(store, target, source)) {
    store.check();
    const [parent] = commit.parents;
    const before = parent === undefined ? emptyTree : commitAt(store, parent).tree;
    const after = commit.tree;
    // Empty commits all make the same change, but `git rebase` keeps them.
    if (isThere && before !== after) continue;
    if (before === tree) tree = after;
    else if (before !== after) {
      const result = mergeTrees(store, before, tree, after);
      if (!result.isClean) return conflict(result.conflicts);
      // Like git, drops a commit that became empty. One that was empty before is kept.
      if (result.tree === tree) continue;
      ({ tree } = result);
    }
    isChanged = true;
    if (change !== undefined)
      tip = add(store, 'commit', rewritten(store, commit.oid, { tree, tip, committer: change.committer }));
  }
  return isChanged ? { kind: 'commit', oid: tip } : { kind: 'nothing' };
}

interface Pick {
  readonly commit: Commit;
  /** Whether the target already contains its change. */
  readonly isThere: boolean;
}

/** @throws {Conflict} if there are more than `mostRebased`. */
function picks(store: ObjectStore, target: Oid, source: Oid): readonly Pick[] {
  const known = ancestors(store, [target]);
  const own = ancestors(store, [source], (oid) => known.has(oid));
  const picked = oldestFirst(own, source).filter(({ parents }) => parents.length < 2);
  if (picked.length > mostRebased)
    throw new Conflict('There are too many commits to be rebased', {
      code: 'rebase_too_long',
      detail: `At most ${mostRebased} are rebased; merge or squash them instead`,
    });
  const inSource = ancestors(store, [source]);
  const others = [...known.values()].filter(({ oid, parents }) => parents.length < 2 && !inSource.has(oid));
  const there = others.length === 0 ? new Set<string>() : alreadyMade(store, picked, others);
  return picked.map((commit) => ({ commit, isThere: there.has(commit.oid) }));
}

/** git-rev-list(1), `--topo-order --reverse`. */
function oldestFirst(commits: ReadonlyMap<Oid, Commit>, tip: Oid): readonly Commit[] {
  const children = new Map<Oid, number>();
  for (const { parents } of commits.values())
    for (const parent of parents) children.set(parent, (children.get(parent) ?? 0) + 1);
  const sorted: Commit[] = [];
  const open = [tip];
  for (let oid = open.pop(); oid !== undefined; oid = open.pop()) {
    const commit = commits.get(oid);
    if (commit === undefined) continue;
    sorted.push(commit);
    for (const parent of commit.parents) {
      const left = (children.get(parent) ?? 0) - 1;
      children.set(parent, left);
      if (left === 0) open.push(parent);
    }
  }
  return sorted.reverse();
}

/**
 * A commit with a new tree, parent and committer, and the kept author, date and message in UTF-8. Other headers, such
 * as signatures, are left out.
 */
function rewritten(
  store: ObjectStore,
  oid: Oid,
  { tree, tip, committer }: { readonly tree: Oid; readonly tip: Oid; readonly committer: Signature },
): Buffer {
  const { author, message, encoding } = commitTexts(
    store.read(oid)?.content ?? Buffer.alloc(0),
    Number.POSITIVE_INFINITY,
  );
  return Buffer.concat([
    Buffer.from(`tree ${tree}\nparent ${tip}\nauthor `),
    inUtf8(author, encoding),
    Buffer.from(`\ncommitter ${signatureText(committer)}\n\n`),
    inUtf8(message, encoding),
  ]);
}

type MergeTasks = typeof mergeTasks;

declare module '../threads/registry.ts' {
  interface Tasks extends MergeTasks {}
}
