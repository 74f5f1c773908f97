// A milestone of a repository, and the rules for its members.
import { ValidationFailed } from '#core/kernel/errors';
import { isDate } from '#core/kernel/instant';
import type { RepositoryItem } from '#core/repositories/index';

/** The states of a milestone. */
export const milestoneStates = ['open', 'closed'] as const;
/** One of them. */
export type MilestoneState = (typeof milestoneStates)[number];

/** A milestone of a repository. */
export interface Milestone extends RepositoryItem {
  readonly title: string;
  readonly description: string;
  /** YYYY-MM-DD. */
  readonly dueDate: string | null;
  readonly state: MilestoneState;
  readonly createdAt: Date;
  /** Null while the milestone is open. */
  readonly closedAt: Date | null;
}

/** A milestone with the number of its open and closed issues. */
export type CountedMilestone = Milestone & { readonly openIssues: number; readonly closedIssues: number };

/** The most milestones of one repository. */
export const maxMilestones = 1000;
/** The most characters of a milestone's title. */
export const maxMilestoneTitle = 255;
/** The most characters of a milestone's description. It is low enough that a full list fits into one response. */
export const maxMilestoneDescription = 2000;

/** The members of a milestone that a caller can set. An empty date clears it. */
export interface MilestoneWish {
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly dueDate?: string | null | undefined;
}

/** Checks and converts the given members. @throws {ValidationFailed} naming the invalid one */
export function milestoneParts(
  wish: MilestoneWish & { readonly title: string },
): Pick<Milestone, 'title'> & Partial<Milestone>;
export function milestoneParts(wish: MilestoneWish): Partial<Milestone>;
export function milestoneParts({ title, description, dueDate }: MilestoneWish): Partial<Milestone> {
  if (title?.trim() === '')
    throw new ValidationFailed('A milestone needs a title', { detail: '"title" must not be empty' });
  // The calendar of PostgreSQL begins with the year 1.
  if (typeof dueDate === 'string' && dueDate !== '' && (!isDate(dueDate) || dueDate < '0001'))
    throw new ValidationFailed('The due date is no day of the calendar', {
      detail: '"due_date" must be YYYY-MM-DD, or empty for none',
    });
  return {
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(dueDate !== undefined && { dueDate: dueDate === '' ? null : dueDate }),
  };
}

/** The changes for a new state. A milestone that is already closed keeps its closing time. */
export const inState = (state: MilestoneState, { closedAt }: Milestone, now: Date): Partial<Milestone> => ({
  state,
  closedAt: state === 'open' ? null : (closedAt ?? now),
});
