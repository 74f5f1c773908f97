// Types of the port `GitBackend` for keeping the commits of merge requests: the hidden refs, and the commit to keep.
import type { JudgeRefs } from './git-transport.ts';
import type { Oid } from './git-objects.ts';

/** The prefix of the heads of merge requests. git clients may fetch these refs but not push them. */
export const mergeRefs = 'refs/merges';

/** The ref that keeps the commits of a merge request in its target repository. */
export const mergeHeadRef = (number: number): string => `${mergeRefs}/${number}/head`;

/**
 * The prefix of temporary refs for commits that are being copied before the request has a number. Clients do not see
 * them.
 */
export const broughtRefs = `${mergeRefs}/brought`;

/** A commit that a repository must keep. */
export interface CommitToKeep {
  /** The id of the repository that has the commit: the one that keeps it, or another one. */
  readonly from: string;
  readonly commit: Oid;
  /** Full, below `mergeRefs`. */
  readonly ref: string;
}

/** The judge of the copied objects, and the signal that aborts the work. */
export interface KeepHooks {
  /** Called if objects come from another repository, before they become part of this one. */
  readonly judge: JudgeRefs;
  readonly signal: AbortSignal;
}

/**
 * The result. `stale`: the ref was moved concurrently. `in-the-way`: its name is the folder of another ref, or the
 * other way round. `refused`: rejected by the judge. Nothing has changed unless the result is `kept`.
 */
export type Keeping = 'kept' | 'stale' | 'in-the-way' | 'refused';
