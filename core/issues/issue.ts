// An issue of a repository: its states, its own members, and what a read adds of the things it refers to.
import type { PublicUser } from '#core/identity/index';

/** Document B, "Issue object". */
export const issueStates = ['open', 'closed'] as const;
export type IssueState = (typeof issueStates)[number];

/** The workflow status, independent of the state. */
export const issueStatuses = ['queued', 'in_progress', 'blocked', 'completed', 'canceled'] as const;
export type IssueStatus = (typeof issueStatuses)[number];

export const priorities = ['none', 'low', 'medium', 'high', 'critical'] as const;
export type Priority = (typeof priorities)[number];

/** One issue, as its row holds it. */
export interface Issue {
  readonly id: string;
  readonly repositoryId: string;
  /** Per repository, from 1, without gaps; never given twice. */
  readonly number: number;
  readonly authorId: string;
  readonly title: string;
  /** Markdown. */
  readonly description: string;
  readonly state: IssueState;
  readonly status: IssueStatus;
  readonly priority: Priority;
  readonly locked: boolean;
  readonly closedAt: Date | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly typeId: string;
  /** Of the same repository. */
  readonly parentId: string | null;
  /** YYYY-MM-DD. */
  readonly dueDate: string | null;
  /** Of the area planning; a plain id. */
  readonly milestoneId: string | null;
  readonly storyPoints: number | null;
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  /** Markdown. */
  readonly assumptions: string | null;
  readonly acceptanceCriteria: string | null;
}

/** What an issue says of its parent. */
export interface ParentReference {
  readonly id: string;
  readonly number: number;
  readonly title: string;
}

/** An issue with what its store reads beside it. */
export interface IssueRow extends Issue {
  readonly author: PublicUser;
  readonly parent: ParentReference | null;
  /** In the order of their usernames. */
  readonly assignees: readonly PublicUser[];
  /** Of the area planning. */
  readonly labelIds: readonly string[];
  readonly childrenCount: number;
}
