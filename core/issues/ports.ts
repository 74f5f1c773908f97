// What this area asks of the world: the store of issues.
import type { Carriers } from '#core/planning/index';
import type { NumberedSlice } from '#core/repositories/index';
import type { IssueFilter } from './filter.ts';
import type { Lineage } from './hierarchy.ts';
import type { IssueFields } from './fields.ts';
import type { Issue, IssueRow } from './issue.ts';
import type { IssueType } from './issue-type.ts';

/** An issue that others wait for, with the sets that an update replaces. */
export type HeldIssue = Issue & {
  readonly labelIds: readonly string[];
  readonly assigneeIds: readonly string[];
};

/** What an update writes of the row. */
export type IssuePatch = IssueFields &
  Partial<Pick<Issue, 'state' | 'closedAt' | 'parentId'>> &
  Pick<Issue, 'updatedAt'>;

/** Where issues are kept. */
export interface IssueStore extends Carriers {
  /**
   * Inside a unit of work: the next number of the repository. Others who take one there, or hold its hierarchy, wait
   * until it ends, and where it fails the number is given again. As with all that is held here, the repository is not
   * deleted meanwhile: labels and milestones are held after it, lest both wait for each other.
   */
  nextNumber(repositoryId: string): Promise<number>;
  /** Inside a unit of work: others who would change who is whose parent in the repository wait until it ends. */
  holdHierarchy(repositoryId: string): Promise<void>;
  insert(issue: Issue): Promise<void>;
  /** Inside a unit of work: others who hold the same issue wait until it ends. */
  held(repositoryId: string, number: number): Promise<HeldIssue | undefined>;
  update(id: string, patch: IssuePatch): Promise<void>;
  /** In the place of those before. */
  replaceLabels(id: string, labelIds: readonly string[]): Promise<void>;
  /** In the place of those before. */
  replaceAssignees(id: string, userIds: readonly string[]): Promise<void>;
  /** Who watches already still does. */
  watch(id: string, userIds: readonly string[]): Promise<void>;
  /** Who does not watch still does not. */
  unwatch(id: string, userId: string): Promise<void>;
  watching(id: string, userId: string | undefined): Promise<{ readonly watchers: number; readonly watching: boolean }>;
  /** Its labels, assignees, watchers, comments, history and links go with it; its children stay, without a parent. */
  delete(id: string): Promise<void>;

  byNumber(repositoryId: string, number: number): Promise<IssueRow | undefined>;
  /** One query. */
  list(repositoryId: string, filter: IssueFilter, slice: NumberedSlice): Promise<readonly IssueRow[]>;
  /** How many there are in all. */
  count(repositoryId: string, filter: IssueFilter): Promise<number>;

  lineage(
    repositoryId: string,
    which: { readonly id: string } | { readonly number: number },
  ): Promise<Lineage | undefined>;
  /** Levels of issues from this one down; 1 without children. */
  height(id: string): Promise<number>;
  /** The types of the children, each once. */
  childTypes(id: string): Promise<readonly Pick<IssueType, 'name'>[]>;

  /** How many issues, comments and descriptions each of these users wrote; users with none may be missing. */
  countByAuthor(userIds: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** How many are open in each of these repositories; those with none may be missing. */
  countOpen(repositoryIds: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** By milestone of the repository; those with none may be missing. */
  countByMilestone(
    repositoryId: string,
    milestoneIds: readonly string[],
  ): Promise<ReadonlyMap<string, { readonly open: number; readonly closed: number }>>;
}
