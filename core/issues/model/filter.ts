// The filters of a list of issues.
import type { Issue, IssueState, IssueStatus, Priority } from './issue.ts';

/** From `min` to `max`, both inclusive. `set` requires that a value exists, or that it does not. */
export interface Bounds<T extends number | string> {
  readonly min?: T | undefined;
  readonly max?: T | undefined;
  readonly set?: boolean | undefined;
}

/** The members that a list can filter by range. */
export interface IssueRanges {
  readonly dueDate?: Bounds<string>;
  readonly storyPoints?: Bounds<number>;
  readonly inputTokens?: Bounds<number>;
  readonly outputTokens?: Bounds<number>;
}

/** Absent members do not restrict the list. */
export interface IssueFilter {
  readonly state?: IssueState | undefined;
  readonly status?: IssueStatus | undefined;
  readonly priority?: Priority | undefined;
  readonly milestoneId?: string | undefined;
  /** The name of a type. */
  readonly type?: string | undefined;
  /** The issue must have all of these labels. */
  readonly labelIds?: readonly string[] | undefined;
  readonly authorId?: string | undefined;
  readonly assigneeId?: string | undefined;
  readonly componentId?: string | undefined;
  readonly fixVersionId?: string | undefined;
  readonly affectsVersionId?: string | undefined;
  /** Only children of this issue. */
  readonly parentId?: string | undefined;
  readonly hasParent?: boolean | undefined;
  /** Whether the issue must be open and due before `today`, or must not be. */
  readonly overdue?: { readonly is: boolean; readonly today: string } | undefined;
  readonly ranges?: IssueRanges | undefined;
  /** Matches a part of the title, case-insensitively, or all words of the text in title and description. */
  readonly q?: string | undefined;
}

/** Whether an issue is overdue on that day. The SQL store has the same rule. */
export const isOverdue = ({ state, dueDate }: Pick<Issue, 'state' | 'dueDate'>, today: string): boolean =>
  state === 'open' && dueDate !== null && dueDate < today;

/** YYYY-MM-DD in UTC. */
export const dayOf = (instant: Date): string => instant.toISOString().slice(0, 10);
