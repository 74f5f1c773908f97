// Of the port `GitBackend`, how a repository keeps commits that came with merge requests: the hidden refs, and what is
// said of such a commit.
import type { JudgeRefs } from './git-transport.ts';
import type { Oid } from './git-objects.ts';

/** Below it are the heads of merge requests, which git clients may fetch and nobody may push. */
export const mergeRefs = 'refs/merges';

/** The ref that keeps the commits of a merge request in its target. */
export const mergeHeadRef = (number: number): string => `${mergeRefs}/${number}/head`;

/** Below it a commit stands while it is brought, when it has no number yet: clients see none of these. */
export const broughtRefs = `${mergeRefs}/brought`;

/** A commit that a repository is to keep. */
export interface CommitToKeep {
  /** The id of the repository that has it: the one that is to keep it, or another. */
  readonly from: string;
  readonly commit: Oid;
  /** Full, below `mergeRefs`. */
  readonly ref: string;
}

/** Who judges what is brought, and how long somebody waits for it. */
export interface KeepHooks {
  /** Asked where objects come from another repository, before any of them is part of this one. */
  readonly judge: JudgeRefs;
  readonly signal: AbortSignal;
}

/**
 * What became of it. `stale`: the ref was moved by somebody else meanwhile; `in-the-way`: its name is the folder of
 * another ref, or the other way round; `refused`: by the judge. Only with `kept` has anything changed.
 */
export type Keeping = 'kept' | 'stale' | 'in-the-way' | 'refused';
