// The store of issues in memory.
import type { MemoryDatabase } from 'hexforge/plugin';
import type { Issue, IssueFilter, IssueStore } from 'hexforge/issues';
import type { NumberedSlice } from 'hexforge/repositories';
import {
  assigneeRows,
  commentRows,
  editRows,
  issueComponentRows,
  issueNumbers,
  issueRows,
  issueVersionRows,
  labelRows,
  typeRows,
  watcherRows,
} from '../tables.ts';
import { accepts } from './filter-memory.ts';
import { cut, wholeIssues } from './whole-memory.ts';
import { issueWrites } from './writes.ts';

export function memoryIssueStore(database: MemoryDatabase): IssueStore {
  const types = typeRows.memory(database).table;
  const issues = issueRows.memory(database).table;
  const { next, hold } = issueNumbers.memory(database);
  const labels = labelRows.memory(database).table;
  const assignees = assigneeRows.memory(database).table;
  const watchers = watcherRows.memory(database).table;
  const components = issueComponentRows.memory(database).table;
  const versions = issueVersionRows.memory(database).table;
  const comments = commentRows.memory(database).table;
  const edits = editRows.memory(database).table;

  const labelsOf = (issueId: string) => labels.find({ where: { issueId } }).map(({ labelId }) => labelId);
  const assigneesOf = (issueId: string) => assignees.find({ where: { issueId } }).map(({ userId }) => userId);

  const whole = wholeIssues(database);
  const where = (
    repositoryId: string,
    filter: IssueFilter,
    from?: Required<Pick<NumberedSlice, 'order' | 'beyond'>>,
  ) => {
    const accepted = accepts(filter, {
      typeNameOf: (typeId) => types.get(typeId)?.name,
      hasLabel: (issueId, labelId) => labels.get([issueId, labelId]) !== undefined,
      hasAssignee: (issueId, userId) => assignees.get([issueId, userId]) !== undefined,
      hasComponent: (issueId, componentId) => components.get([issueId, componentId]) !== undefined,
      hasVersion: (issueId, kind, versionId) => versions.get([issueId, kind, versionId]) !== undefined,
    });
    const comes = ({ number }: Issue): boolean =>
      from?.beyond === undefined || (from.order === 'newest' ? number < from.beyond : number > from.beyond);
    return (row: Issue): boolean => row.repositoryId === repositoryId && comes(row) && accepted(row);
  };
  const ancestorsOf = ({ parentId }: Issue): readonly string[] => {
    const parent = issues.get(parentId ?? '');
    return parent === undefined ? [] : [parent.id, ...ancestorsOf(parent)];
  };
  const heightOf = (id: string): number =>
    1 + issues.find({ where: { parentId: id } }).reduce((most, child) => Math.max(most, heightOf(child.id)), 0);

  return {
    ...issueWrites.memory(database),
    nextNumber: next,
    holdHierarchy: hold,
    insert: async (issue) => issues.insert(issue),
    async held(repositoryId, number) {
      const row = issues.findOne({ repositoryId, number });
      return row && { ...row, labelIds: labelsOf(row.id), assigneeIds: assigneesOf(row.id) };
    },
    async update(id, patch) {
      issues.update(id, patch);
    },
    watching: async (issueId, userId) => ({
      watchers: watchers.count({ issueId }),
      watching: userId !== undefined && watchers.get([issueId, userId]) !== undefined,
    }),
    async byNumber(repositoryId, number) {
      const row = issues.findOne({ repositoryId, number });
      return row && whole([row])[0];
    },
    titles: async (repositoryId, numbers) =>
      new Map(
        issues
          .find({ where: { repositoryId } })
          .flatMap(({ number, title }) => (numbers.includes(number) ? [[number, title] as const] : [])),
      ),
    list: async (repositoryId, filter, { order, beyond, texts, ...slice }) => {
      const found = issues.find({
        where: where(repositoryId, filter, beyond === undefined ? undefined : { order, beyond }),
        orderBy: order === 'newest' ? { desc: 'number' } : 'number',
        ...slice,
      });
      return whole(texts === undefined ? found : found.map((row) => cut(row, texts + 1)));
    },
    count: async (repositoryId, filter) => issues.count(where(repositoryId, filter)),
    ofUser: async (userId, limit) =>
      issues
        .find({
          where: ({ id, authorId, state }: Issue) =>
            state === 'open' && (authorId === userId || assignees.get([id, userId]) !== undefined),
          orderBy: [{ desc: 'createdAt' }, 'id'],
          limit,
        })
        .map(({ id, repositoryId, number, title, createdAt }) => ({ id, repositoryId, number, title, createdAt })),

    async lineage(repositoryId, which) {
      const row = issues.findOne({ repositoryId, ...which });
      const type = row && types.get(row.typeId);
      return row && type && { id: row.id, type, ancestorIds: ancestorsOf(row) };
    },
    async family(repositoryId, id, limit) {
      const issue = issues.findOne({ repositoryId, id });
      if (issue === undefined) return [];
      const found = ancestorsOf(issue)
        .toReversed()
        .flatMap((ancestor) => issues.get(ancestor) ?? []);
      for (let level: readonly Issue[] = [issue]; level.length > 0 && found.length < limit;) {
        const below = level.flatMap((one) => issues.find({ where: { parentId: one.id } }));
        level = below.toSorted((one, other) => one.number - other.number);
        found.push(...level);
      }
      return found
        .slice(0, limit)
        .map(({ id: own, number, title, state, parentId }) => ({ id: own, number, title, state, parentId }));
    },
    height: async (id) => heightOf(id),
    childTypes: async (id) => {
      const found = new Set(issues.find({ where: { parentId: id } }).map(({ typeId }) => typeId));
      return [...found].flatMap((typeId) => types.get(typeId) ?? []);
    },

    countByAuthor: async (userIds) =>
      new Map(
        userIds.map((id) => [
          id,
          issues.count({ authorId: id }) + comments.count({ authorId: id }) + edits.count({ editedBy: id }),
        ]),
      ),
    countOpen: async (repositoryIds) =>
      new Map(repositoryIds.map((id) => [id, issues.count({ repositoryId: id, state: 'open' })])),
    countByMilestone: async (repositoryId, milestoneIds) =>
      new Map(
        milestoneIds.map((milestoneId) => [
          milestoneId,
          {
            open: issues.count({ repositoryId, milestoneId, state: 'open' }),
            closed: issues.count({ repositoryId, milestoneId, state: 'closed' }),
          },
        ]),
      ),
  } satisfies IssueStore;
}
