// An issue of a repository: its states, members and limits, and how a path refers to one.
import type { PublicUser } from '#core/identity/index';
import { NotFound } from '#core/kernel/errors';
import type { Label, Milestone } from '#core/planning/index';
import { lastNumber, type Numbered, type Repository } from '#core/repositories/index';
import type { Associations } from './associations.ts';
import type { IssueType } from './issue-type.ts';
import type { LinkedIssue } from './link.ts';

/** The states of an issue. */
export const issueStates = ['open', 'closed'] as const;
/** Whether work remains to be done. */
export type IssueState = (typeof issueStates)[number];

/** The values of the workflow status, which is independent of the state. */
export const issueStatuses = ['queued', 'in_progress', 'blocked', 'completed', 'canceled'] as const;
/** The progress of the work, independent of the state. */
export type IssueStatus = (typeof issueStatuses)[number];

/** In ascending order. */
export const priorities = ['none', 'low', 'medium', 'high', 'critical'] as const;
/** The importance of an issue. */
export type Priority = (typeof priorities)[number];

/** Limits of one issue. Limits of texts are in characters. */
export const issueBounds = {
  title: 255,
  /** The limit of each text: description, assumptions, acceptance criteria and comments. */
  text: 65_536,
  labels: 100,
  assignees: 100,
  components: 100,
  /** The limit of each list: versions that fix the issue and versions in which it occurs. */
  versions: 100,
  /** Links in both directions. */
  links: 100,
} as const;

/** One issue, as stored in its row. */
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
  /** The parent belongs to the same repository. */
  readonly parentId: string | null;
  /** YYYY-MM-DD. */
  readonly dueDate: string | null;
  /** An id of the area planning, without a foreign key. */
  readonly milestoneId: string | null;
  readonly storyPoints: number | null;
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  /** Markdown. */
  readonly assumptions: string | null;
  readonly acceptanceCriteria: string | null;
}

/** The values of members that the author of a new issue may omit. */
export const issueDefaults = {
  description: '',
  status: 'queued',
  priority: 'none',
  locked: false,
  dueDate: null,
  milestoneId: null,
  storyPoints: null,
  inputTokens: null,
  outputTokens: null,
  assumptions: null,
  acceptanceCriteria: null,
} as const;

/** The parent of an issue, as its children show it. */
export interface ParentReference {
  readonly id: string;
  readonly number: number;
  readonly title: string;
}

/** An issue with the related rows that its store reads in the same query. */
export interface IssueRow extends Issue {
  readonly author: PublicUser;
  readonly type: IssueType;
  readonly parent: ParentReference | null;
  /** Sorted by username. */
  readonly assignees: readonly PublicUser[];
  /** Ids of the area planning. */
  readonly labelIds: readonly string[];
  readonly childrenCount: number;
  readonly commentsCount: number;
}

/** An issue in a tree of parents and children. */
export type Relative = Pick<Issue, 'id' | 'number' | 'title' | 'state' | 'parentId'>;

/** An issue in a list across repositories. */
export type OwnIssue = Pick<Issue, 'id' | 'repositoryId' | 'number' | 'title' | 'createdAt'>;

/** An issue as responses show it. */
export interface IssueView extends IssueRow, Associations {
  /** Sorted by name. */
  readonly labels: readonly Label[];
  readonly milestone: Milestone | null;
}

/**
 * Details that only a fetch of one issue returns, because they depend on the caller or are too expensive for a list.
 */
export interface IssueDetail {
  readonly watchers: number;
  readonly watching: boolean;
  /** The number of links in both directions. */
  readonly links: number;
  readonly blockedBy: readonly LinkedIssue[];
}

/** How a path refers to an issue: `7`, or `ABC-7` in a repository with the issue code ABC. */
export const issueReference = /^(?:([A-Za-z][A-Za-z0-9]{1,9})-)?([0-9]{1,10})$/;

/**
 * The issue number in a path.
 * @throws {NotFound} if the reference is invalid or has another repository's issue code.
 */
export function issueNumber(reference: string, { issueCode }: Pick<Repository, 'issueCode'>): number {
  const [, code = issueCode, digits] = issueReference.exec(reference) ?? [];
  const number = Number(digits);
  if (code === issueCode && number >= 1 && number <= lastNumber) return number;
  throw new NotFound('Not found');
}
