// Types of the port `GitBackend` for merging two histories in a bare repository.
import type { Signature } from './git-history.ts';
import type { Oid } from './git-objects.ts';

/** The strategies for adding the commits of a source to a target. */
export const mergeStrategies = ['merge', 'squash', 'rebase'] as const;
/**
 * `merge`: a commit with two parents, as by `git merge --no-ff`. `squash`: one commit on top of the target, as by `git
 * merge --squash`. `rebase`: copies of the source commits on top of the target, as by `git rebase`.
 */
export type MergeStrategy = (typeof mergeStrategies)[number];

/** The source and target of a trial merge. */
export interface MergeTrial {
  readonly target: Oid;
  readonly source: Oid;
  readonly strategy: MergeStrategy;
}

/** The most paths that are returned for one conflict. */
export const mostConflicts = 1000;
/** The most commits that are rebased. */
export const mostRebased = 1000;

/** Whether git can merge two commits without a conflict. */
export interface MergeCheck {
  readonly clean: boolean;
  /**
   * Sorted. For a rebase, the conflicts of the first commit that does not apply. A conflict between a file and a folder
   * is listed by the name of the file. Empty if the histories have no common ancestor; such histories can be rebased
   * but not merged.
   */
  readonly conflicts: readonly string[];
}

/** A merge that moves a ref. */
export interface MergeWrite extends MergeTrial {
  /** Full: `refs/heads/main`. Its current value must be `target`. */
  readonly ref: string;
  /** Only for a merge or a squash. Rebased commits keep their messages, authors and dates. */
  readonly message: string;
  readonly author: Signature;
  readonly committer: Signature;
}

/** The result of a merge. */
export type MergeOutcome =
  /** `refusal` is git's message if the ref did not move to `oid`; undefined if it moved. */
  | { readonly kind: 'made'; readonly oid: Oid; readonly refusal: string | undefined }
  /** The target already has all commits; nothing moves. */
  | { readonly kind: 'nothing' }
  | { readonly kind: 'conflict'; readonly conflicts: readonly string[] };
