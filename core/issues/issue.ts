// An issue of a repository: its states and members, the bounds of what it holds, and how one is named in a path.
import type { PublicUser } from '#core/identity/index';
import { NotFound } from '#core/kernel/errors';
import type { Label, Milestone } from '#core/planning/index';
import { lastNumber, type Numbered, type Repository } from '#core/repositories/index';
import type { Associations } from './associations.ts';
import type { IssueType } from './issue-type.ts';
import type { LinkedIssue } from './link.ts';

/** Document B, "Issue object". */
export const issueStates = ['open', 'closed'] as const;
/** Whether there is still something to do. */
export type IssueState = (typeof issueStates)[number];

/** The workflow status, independent of the state. */
export const issueStatuses = ['queued', 'in_progress', 'blocked', 'completed', 'canceled'] as const;
/** Where the work stands, apart from the state. */
export type IssueStatus = (typeof issueStatuses)[number];

/** From the least on. */
export const priorities = ['none', 'low', 'medium', 'high', 'critical'] as const;
/** How much it matters. */
export type Priority = (typeof priorities)[number];

/** The most of what one issue holds; of texts, characters. */
export const issueBounds = {
  title: 255,
  /** The description, the assumptions, the acceptance criteria and a comment, each. */
  text: 65_536,
  labels: 100,
  assignees: 100,
  components: 100,
  /** Those that mend it and those that show it, each. */
  versions: 100,
  /** From it and to it. */
  links: 100,
} as const;

/** One issue, as its row holds it. */
export interface Issue extends Numbered {
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

/** An issue with what its store reads beside it, in one query. */
export interface IssueRow extends Issue {
  readonly author: PublicUser;
  readonly type: IssueType;
  readonly parent: ParentReference | null;
  /** By username. */
  readonly assignees: readonly PublicUser[];
  /** Of the area planning. */
  readonly labelIds: readonly string[];
  readonly childrenCount: number;
  readonly commentsCount: number;
}

/** An issue as it is shown. */
export interface IssueView extends IssueRow, Associations {
  /** By name. */
  readonly labels: readonly Label[];
  readonly milestone: Milestone | null;
}

/** What only a fetch of one issue tells: of whoever asks, and what would be too much for a list. */
export interface IssueDetail {
  readonly watchers: number;
  readonly watching: boolean;
  /** How many there are, from it and to it. */
  readonly links: number;
  readonly blockedBy: readonly LinkedIssue[];
}

/** How a path names an issue: `7`, or `ABC-7` in a repository whose issue code is ABC (document D, "Issues"). */
export const issueReference = /^(?:([A-Za-z][A-Za-z0-9]{1,9})-)?([0-9]{1,10})$/;

/** The number that a path names. @throws {NotFound} where it names none of this repository. */
export function issueNumber(reference: string, { issueCode }: Pick<Repository, 'issueCode'>): number {
  const [, code = issueCode, digits] = issueReference.exec(reference) ?? [];
  const number = Number(digits);
  if (code === issueCode && number >= 1 && number <= lastNumber) return number;
  throw new NotFound('Not found');
}
