// A branch as lists show it.
import type { PageRequest } from '#core/kernel/page';
import type { Divergence, Oid } from '../git/git-backend.ts';

/** A branch as lists show it. */
export interface Branch {
  readonly name: string;
  readonly oid: Oid;
  /** The first line of the last commit's message. */
  readonly subject: string;
  readonly author: string;
  readonly committedAt: Date;
  readonly isDefault: boolean;
  readonly isProtected: boolean;
  /** Relative to the default branch. */
  readonly divergence: Divergence;
}

/** The members by which branches can be sorted. */
export const branchSorts = ['name', 'last_commit_at', 'ahead', 'behind'] as const;

export interface BranchQuery extends PageRequest {
  /** Only branches whose name contains this text, in any case. */
  readonly search?: string | undefined;
  /** Only branches that follow this name in the order of names. */
  readonly after?: string | undefined;
  readonly includeDivergence: boolean;
  readonly sort?: (typeof branchSorts)[number] | undefined;
  readonly order?: 'asc' | 'desc' | undefined;
}
