// Of the port `GitBackend`, merging: two histories brought together on a bare repository, and what became of it.
import type { Signature } from './git-history.ts';
import type { Oid } from './git-objects.ts';

/** How commits of a source come into a target (document B, "Merge"). */
export const mergeStrategies = ['merge', 'squash', 'rebase'] as const;
/**
 * `merge`: a commit of two parents, as `git merge --no-ff` makes it. `squash`: one commit on top of the target, as `git
 * merge --squash`. `rebase`: the commits of the source anew on top of the target, as `git rebase` picks them.
 */
export type MergeStrategy = (typeof mergeStrategies)[number];

/** What is to be merged into what. */
export interface MergeTrial {
  readonly target: Oid;
  readonly source: Oid;
  readonly strategy: MergeStrategy;
}

/** Paths that are told of one conflict at the most. */
export const mostConflicts = 1000;
/** Commits that are rebased at the most. */
export const mostRebased = 1000;

/** Whether git merges them by itself. */
export interface MergeCheck {
  readonly clean: boolean;
  /**
   * Sorted; of a rebase, those of the first commit that does not apply. A file that stands in the way of a folder is
   * told by the name that it has. None where the histories have no commit in common, which are rebased but not merged.
   */
  readonly conflicts: readonly string[];
}

/** A merge that is to move a ref. */
export interface MergeWrite extends MergeTrial {
  /** Full: `refs/heads/main`. It stands at `target`. */
  readonly ref: string;
  /** Of a merge or a squash; rebased commits keep theirs, with their authors and dates. */
  readonly message: string;
  readonly author: Signature;
  readonly committer: Signature;
}

/** What became of a merge. */
export type MergeOutcome =
  /** `refusal` says in git's words why the ref did not move to `oid`; undefined where it did. */
  | { readonly kind: 'made'; readonly oid: Oid; readonly refusal: string | undefined }
  /** The target has all of it; nothing moves. */
  | { readonly kind: 'nothing' }
  | { readonly kind: 'conflict'; readonly conflicts: readonly string[] };
