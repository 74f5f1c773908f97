// What a caller writes of an issue, member by member, and how each is kept. A member that is absent stays as it is;
// null, which the types allow where there can be none, clears it.
import { changed } from '#core/kernel/changed';
import { ValidationFailed } from '#core/kernel/errors';
import { isDate } from '#core/kernel/instant';
import type { Issue } from './issue.ts';

type Written = Pick<
  Issue,
  | 'title'
  | 'description'
  | 'typeId'
  | 'priority'
  | 'status'
  | 'locked'
  | 'milestoneId'
  | 'dueDate'
  | 'storyPoints'
  | 'inputTokens'
  | 'outputTokens'
  | 'assumptions'
  | 'acceptanceCriteria'
>;

/** What may be written of an issue; what is left out stays as it is. */
export type IssueFields = Partial<Written>;

/** Document B, "Issues": an empty text of these is none. */
const textOrNone = (text: string | null): string | null => (text === '' ? null : text);

const kept: { readonly [M in keyof Written]?: (value: Written[M]) => Written[M] } = {
  title(title) {
    if (title.trim() !== '') return title;
    throw new ValidationFailed('An issue needs a title', { detail: '"title" must not be empty' });
  },
  dueDate(day) {
    // The calendar of PostgreSQL begins with the year 1.
    if (day === null || (isDate(day) && day >= '0001')) return day;
    throw new ValidationFailed('The due date is no day of the calendar', { detail: '"due_date" must be YYYY-MM-DD' });
  },
  assumptions: textOrNone,
  acceptanceCriteria: textOrNone,
};

/** What is kept of what was given. @throws {ValidationFailed} naming the member at fault. */
export const checkedFields = <F extends IssueFields>(given: F): F =>
  Object.fromEntries(
    Object.entries(given)
      .filter(([, value]) => value !== undefined)
      .map(([member, value]) => {
        const keep = kept[member as keyof Written] as ((value: unknown) => unknown) | undefined;
        return [member, keep === undefined ? value : keep(value)];
      }),
  ) as F;

/** Of these, what is otherwise in the issue. */
export const changedFields = (before: Issue, given: IssueFields): IssueFields => changed<IssueFields>(before, given);
