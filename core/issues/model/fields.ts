// The writable members of an issue, and the check of each. An absent member stays unchanged; null clears a member whose
// type allows it.
import { changed } from '#core/kernel/storage/changed';
import { ValidationFailed } from '#core/kernel/errors';
import { isDate } from '#core/kernel/instant';
import type { Numbered } from '#core/repositories/index';
import type { Issue } from './issue.ts';

/** The members that a caller writes directly. The others change by actions, or never. */
type Written = Omit<Issue, keyof Numbered | 'authorId' | 'state' | 'closedAt' | 'createdAt' | 'updatedAt' | 'parentId'>;

/** The members to write. Absent ones stay unchanged. */
export type IssueFields = Partial<Written>;

/** An empty text is stored as null. */
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

/** The values to store. @throws {ValidationFailed} naming the invalid member. */
export const checkedFields = <F extends IssueFields>(given: F): F =>
  Object.fromEntries(
    Object.entries(given)
      .filter(([, value]) => value !== undefined)
      .map(([member, value]) => {
        const keep = kept[member as keyof Written] as ((value: unknown) => unknown) | undefined;
        return [member, keep === undefined ? value : keep(value)];
      }),
  ) as F;

/** The given members that differ from the issue. */
export const changedFields = (before: Issue, given: IssueFields): IssueFields => changed<IssueFields>(before, given);
