// The filter of a list in memory, equivalent to the SQL of the store except that `q` is a simple match of words.
import { isOverdue, plainWords, searchedWords, type Bounds, type Issue, type IssueFilter } from 'hexforge/issues';

export interface FilteredBy {
  readonly typeNameOf: (typeId: string) => string | undefined;
  readonly hasLabel: (issueId: string, labelId: string) => boolean;
  readonly hasAssignee: (issueId: string, userId: string) => boolean;
  readonly hasComponent: (issueId: string, id: string) => boolean;
  readonly hasVersion: (issueId: string, kind: 'fix' | 'affects', id: string) => boolean;
}

const equal = ['state', 'status', 'priority', 'milestoneId', 'parentId', 'authorId'] as const;
const bounded = ['dueDate', 'storyPoints', 'inputTokens', 'outputTokens'] as const;

const within = <T extends number | string>(value: T | null, { min, max, set }: Bounds<T>): boolean =>
  (set === undefined || (value !== null) === set) &&
  (min === undefined || (value !== null && value >= min)) &&
  (max === undefined || (value !== null && value <= max));

/** Whether every searched word is a word of the text. */
export function hasWords(text: string, asked: string): boolean {
  const words = new Set(plainWords(text).split(' '));
  const wanted = searchedWords(asked);
  return wanted !== '' && wanted.split(' ').every((word) => words.has(word));
}

const mentions = ({ title, description }: Issue, q: string): boolean =>
  title.toLowerCase().includes(q.toLowerCase()) || hasWords(`${title} ${description}`, q);

export const accepts =
  (filter: IssueFilter, { typeNameOf, hasLabel, hasAssignee, hasComponent, hasVersion }: FilteredBy) =>
  (issue: Issue): boolean => {
    const { ranges, type, labelIds = [], hasParent, overdue, q, assigneeId } = filter;
    const { componentId, fixVersionId, affectsVersionId } = filter;
    return (
      equal.every((member) => filter[member] === undefined || issue[member] === filter[member]) &&
      bounded.every((member) => within<number | string>(issue[member], ranges?.[member] ?? {})) &&
      (assigneeId === undefined || hasAssignee(issue.id, assigneeId)) &&
      (componentId === undefined || hasComponent(issue.id, componentId)) &&
      (fixVersionId === undefined || hasVersion(issue.id, 'fix', fixVersionId)) &&
      (affectsVersionId === undefined || hasVersion(issue.id, 'affects', affectsVersionId)) &&
      (type === undefined || typeNameOf(issue.typeId) === type) &&
      labelIds.every((labelId) => hasLabel(issue.id, labelId)) &&
      (hasParent === undefined || (issue.parentId !== null) === hasParent) &&
      (overdue === undefined || isOverdue(issue, overdue.today) === overdue.is) &&
      (q === undefined || mentions(issue, q))
    );
  };
