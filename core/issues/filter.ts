// Which issues of a repository a list shows.
import type { Issue, IssueState, IssueStatus, Priority } from './issue.ts';

/** From `min` to `max`, both included; `set` says whether there is a value at all. */
export interface Bounds<T extends number | string> {
  readonly min?: T | undefined;
  readonly max?: T | undefined;
  readonly set?: boolean | undefined;
}

/** Members that a list can be bounded by. */
export interface IssueRanges {
  readonly dueDate?: Bounds<string>;
  readonly storyPoints?: Bounds<number>;
  readonly inputTokens?: Bounds<number>;
  readonly outputTokens?: Bounds<number>;
}

/** What is absent restricts nothing. */
export interface IssueFilter {
  readonly state?: IssueState | undefined;
  readonly status?: IssueStatus | undefined;
  readonly priority?: Priority | undefined;
  readonly milestoneId?: string | undefined;
  /** The name of a type. */
  readonly type?: string | undefined;
  /** All of them. */
  readonly labelIds?: readonly string[] | undefined;
  readonly componentId?: string | undefined;
  readonly fixVersionId?: string | undefined;
  readonly affectsVersionId?: string | undefined;
  /** Those under this one alone. */
  readonly parentId?: string | undefined;
  readonly hasParent?: boolean | undefined;
  /** Open and due before `today`, or not. */
  readonly overdue?: { readonly is: boolean; readonly today: string } | undefined;
  readonly ranges?: IssueRanges | undefined;
  /** Part of the title in any case, or its words, all of them, in title and description. */
  readonly q?: string | undefined;
}

/** Whether an issue is late on that day: what SQL says of it in the store. */
export const isOverdue = ({ state, dueDate }: Pick<Issue, 'state' | 'dueDate'>, today: string): boolean =>
  state === 'open' && dueDate !== null && dueDate < today;

/** YYYY-MM-DD in UTC. */
export const dayOf = (instant: Date): string => instant.toISOString().slice(0, 10);
