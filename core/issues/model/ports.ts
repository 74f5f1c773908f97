// The ports that this area needs: the store of issues and their search.
import type { Carriers } from '#core/planning/index';
import type { NumberedSlice } from '#core/repositories/index';
import type { IssueFilter } from './filter.ts';
import type { Lineage } from './hierarchy.ts';
import type { IssueFields } from './fields.ts';
import type { Issue, IssueRow, OwnIssue, Relative } from './issue.ts';
import type { IssueType } from './issue-type.ts';

/** An issue that is locked until the unit of work ends, with the sets that an update can replace. */
export type HeldIssue = Issue & {
  readonly labelIds: readonly string[];
  readonly assigneeIds: readonly string[];
};

/** The members of the row that an update can write. */
export type IssuePatch = IssueFields &
  Partial<Pick<Issue, 'state' | 'closedAt' | 'parentId'>> &
  Pick<Issue, 'updatedAt'>;

/** Stores issues. */
export interface IssueStore extends Carriers {
  /**
   * Runs inside a unit of work: returns the next issue number of the repository. Concurrent calls of `nextNumber` and
   * `holdHierarchy` for the repository wait until the unit of work ends. If it fails, the number is used again. Like
   * every lock of this store, this one also prevents deletion of the repository. It must be taken before labels and
   * milestones are locked, to avoid deadlocks.
   */
  nextNumber(repositoryId: string): Promise<number>;
  /** Runs inside a unit of work: other changes of parents in the repository wait until it ends. */
  holdHierarchy(repositoryId: string): Promise<void>;
  insert(issue: Issue): Promise<void>;
  /** Runs inside a unit of work: locks the issue until it ends. */
  held(repositoryId: string, number: number): Promise<HeldIssue | undefined>;
  update(id: string, patch: IssuePatch): Promise<void>;
  /** Replaces the existing labels. */
  replaceLabels(id: string, labelIds: readonly string[]): Promise<void>;
  /** Replaces the existing assignees. */
  replaceAssignees(id: string, userIds: readonly string[]): Promise<void>;
  /** Has no effect on users who already watch the issue. */
  watch(id: string, userIds: readonly string[]): Promise<void>;
  /** Has no effect if the user does not watch the issue. */
  unwatch(id: string, userId: string): Promise<void>;
  watching(id: string, userId: string | undefined): Promise<{ readonly watchers: number; readonly watching: boolean }>;
  /** Also deletes its labels, assignees, watchers, comments, history and links. Its children stay, without a parent. */
  delete(id: string): Promise<void>;

  byNumber(repositoryId: string, number: number): Promise<IssueRow | undefined>;
  /** The titles of issues by their number. Unknown numbers are missing. One query. */
  titles(repositoryId: string, numbers: readonly number[]): Promise<ReadonlyMap<number, string>>;
  /** One query. */
  list(repositoryId: string, filter: IssueFilter, slice: NumberedSlice): Promise<readonly IssueRow[]>;
  /** The total number of matching issues. */
  count(repositoryId: string, filter: IssueFilter): Promise<number>;
  /** Open issues of all repositories that the user wrote or is assigned to. The newest first. One query. */
  ofUser(userId: string, limit: number): Promise<readonly OwnIssue[]>;

  lineage(
    repositoryId: string,
    which: { readonly id: string } | { readonly number: number },
  ): Promise<Lineage | undefined>;
  /** The ancestors and descendants of the issue, the higher levels first, then by number. One query. */
  family(repositoryId: string, id: string, limit: number): Promise<readonly Relative[]>;
  /** The number of levels from this issue down; 1 if it has no children. */
  height(id: string): Promise<number>;
  /** The distinct types of the children. */
  childTypes(id: string): Promise<readonly Pick<IssueType, 'name'>[]>;

  /** How many issues, comments and descriptions each user wrote. Users with none may be missing. */
  countByAuthor(userIds: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** How many issues are open in each repository. Repositories with none may be missing. */
  countOpen(repositoryIds: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** Counts per milestone of the repository. Milestones with none may be missing. */
  countByMilestone(
    repositoryId: string,
    milestoneIds: readonly string[],
  ): Promise<ReadonlyMap<string, { readonly open: number; readonly closed: number }>>;
}

/**
 * The text that a store searches for.
 *
 * - `words`: searches title and description, and the title has more weight. `text` has the syntax of web search: all
 *   words, `"a phrase"`, `or`, `-not`.
 * - `near`: searches titles that contain the text, or that have words with the same beginning or a similar spelling.
 */
export interface SearchText {
  readonly way: 'words' | 'near';
  readonly text: string;
}

/** An issue in the result of a search, with its rank. */
export interface RankedIssue extends IssueRow {
  /** Above 0, up to 1. Only ranks of the same search are comparable. */
  readonly rank: number;
}

/** The members by which `facets=true` counts the matching issues. */
export const facets = ['state', 'type', 'label', 'assignee'] as const;
/** One of `facets`. */
export type Facet = (typeof facets)[number];

/** How many matching issues have this value: a state, the name of a type, the id of a label, or a username. */
export interface FacetCount {
  readonly facet: Facet;
  readonly value: string;
  readonly count: number;
}

/**
 * Searches issues. The store in memory is simpler: `words` has no operators, and `near` only finds titles that contain
 * the text.
 */
export interface IssueSearchStore {
  /**
   * The best match first; equal ones by age, the newest first. One query. The store may clip long texts to one
   * character more than `textShare` of the number of issues, so that the caller can detect the cut.
   */
  search(repositoryId: string, text: SearchText, limit: number): Promise<readonly RankedIssue[]>;
  /** Counts of all matching issues, in any order. One query. */
  facets(repositoryId: string, text: SearchText): Promise<readonly FacetCount[]>;
}

/** Stores type schemes. */
export interface TypeSchemeStore {
  /** The types of a scheme, in its order. */
  typesOf(repositoryId: string): Promise<readonly IssueType[]>;
  /** Replaces the whole scheme with these types in this order. Concurrent calls do not mix: the last one wins. */
  replace(repositoryId: string, typeIds: readonly string[]): Promise<void>;
}
