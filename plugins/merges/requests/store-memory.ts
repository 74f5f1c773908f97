// The store of merge requests in memory.
import type { FromOthers, ListedRow, MergeFilter, MergeStore } from 'hexforge/merges';
import { publicUsers, type MemoryDatabase } from 'hexforge/plugin';
import type { NumberedSlice } from 'hexforge/repositories';
import {
  assigneeRows,
  commentRows,
  labelRows,
  requestNumbers,
  requestRows,
  reviewRows,
  type RequestRow,
} from '../tables.ts';
import { requestOf } from './query.ts';
import { requestWrites } from './writes.ts';

export function memoryMergeStore(database: MemoryDatabase): MergeStore {
  const requests = requestRows.memory(database).table;
  const { next } = requestNumbers.memory(database);
  const labels = labelRows.memory(database).table;
  const assignees = assigneeRows.memory(database).table;
  const reviews = reviewRows.memory(database).table;
  const comments = commentRows.memory(database).table;

  const labelsOf = (requestId: string) => labels.find({ where: { requestId } }).map(({ labelId }) => labelId);
  const assigneesOf = (requestId: string) => assignees.find({ where: { requestId } }).map(({ userId }) => userId);

  /** Sorts by username, ignoring case, like the SQL store. */
  const byUsername = <T>(rows: readonly T[], nameOf: (row: T) => string): readonly T[] =>
    rows.toSorted((one, other) => (nameOf(one).toLowerCase() < nameOf(other).toLowerCase() ? -1 : 1));
  const listed = (found: readonly RequestRow[]): readonly ListedRow[] => {
    const users = publicUsers(database);
    return found.flatMap((row) => {
      const author = users.get(row.authorId);
      if (author === undefined) return [];
      const assigned = assigneesOf(row.id).flatMap((id) => users.get(id) ?? []);
      return [{ ...requestOf(row), author, assignees: byUsername(assigned, ({ username }) => username) }];
    });
  };
  const reviewersOf = (requestId: string) => {
    const users = publicUsers(database);
    const found = reviews.find({ where: { requestId } }).flatMap(({ userId, state }) => {
      const user = users.get(userId);
      return user === undefined ? [] : [{ user, state }];
    });
    return byUsername(found, ({ user }) => user.username);
  };
  const matches = (row: RequestRow, filter: MergeFilter): boolean => {
    const { state, authorId, milestoneId, isDraft, assigneeId, reviewerId, labelId, q } = filter;
    return (
      (state === undefined || row.state === state) &&
      (authorId === undefined || row.authorId === authorId) &&
      (milestoneId === undefined || row.milestoneId === milestoneId) &&
      (isDraft === undefined || row.isDraft === isDraft) &&
      (assigneeId === undefined || assigneesOf(row.id).includes(assigneeId)) &&
      (reviewerId === undefined || reviews.count({ requestId: row.id, userId: reviewerId }) > 0) &&
      (labelId === undefined || labelsOf(row.id).includes(labelId)) &&
      (q === undefined || row.title.toLowerCase().includes(q.toLowerCase()))
    );
  };
  const pageOf = (repositoryId: string, filter: MergeFilter, slice: NumberedSlice): readonly ListedRow[] =>
    listed(
      requests.find({
        where: where(repositoryId, filter, slice),
        orderBy: slice.order === 'newest' ? { desc: 'number' } : 'number',
        limit: slice.limit,
        offset: slice.offset,
      }),
    );
  const where = (repositoryId: string, filter: MergeFilter, slice?: NumberedSlice) => (row: RequestRow) =>
    row.repositoryId === repositoryId &&
    matches(row, filter) &&
    (slice?.beyond === undefined || (slice.order === 'newest' ? row.number < slice.beyond : row.number > slice.beyond));
  const stillFollowed = (of: FromOthers) => (row: RequestRow) =>
    row.state === 'open' &&
    row.sourceLoss === null &&
    row.sourceRepositoryId !== null &&
    row.sourceRepositoryId !== row.repositoryId &&
    ('userId' in of
      ? row.authorId === of.userId || row.reopenedById === of.userId
      : 'repositoryId' in of
        ? row.repositoryId === of.repositoryId
        : row.sourceRepositoryId === of.sourceRepositoryId);
  const openOnes = (members: Partial<RequestRow>, after: string | undefined, limit: number) =>
    requests
      .find({ where: { ...members, state: 'open' }, orderBy: 'id' })
      .filter(({ id }) => after === undefined || id > after)
      .slice(0, limit)
      .map(requestOf);

  return {
    ...requestWrites.memory(database),
    nextNumber: next,
    async held(repositoryId, number) {
      const row = requests.findOne({ repositoryId, number });
      return row && { ...requestOf(row), labelIds: labelsOf(row.id), assigneeIds: assigneesOf(row.id) };
    },
    async find(repositoryId, number) {
      const row = requests.findOne({ repositoryId, number });
      return row && requestOf(row);
    },
    async byNumber(repositoryId, number) {
      const row = requests.findOne({ repositoryId, number });
      const [found] = row === undefined ? [] : listed([row]);
      return found && { ...found, labelIds: labelsOf(found.id), reviewers: reviewersOf(found.id) };
    },
    titles: async (repositoryId, numbers) =>
      new Map(
        requests
          .find({ where: { repositoryId } })
          .flatMap(({ number, title }) => (numbers.includes(number) ? [[number, title] as const] : [])),
      ),
    list: async (...asked) => pageOf(...asked),
    listWhole: async (...asked) =>
      pageOf(...asked).map((row) => ({
        ...row,
        labelIds: labelsOf(row.id),
        reviewers: reviewersOf(row.id),
        commentsCount: comments.count({ requestId: row.id }),
      })),
    openOfUser: async (userId, role, limit) =>
      listed(
        requests
          .find({
            where: (row) =>
              row.state === 'open' &&
              (role === 'author'
                ? row.authorId === userId
                : reviews.count({ requestId: row.id, userId, state: 'pending' }) > 0),
            orderBy: 'id',
          })
          .toSorted((one, other) => other.updatedAt.getTime() - one.updatedAt.getTime())
          .slice(0, limit),
      ),
    count: async (repositoryId, filter) => requests.count(where(repositoryId, filter)),
    async openOf({ repositoryId, sourceRepositoryId, sourceBranch, targetBranch }) {
      if (sourceRepositoryId === undefined) return undefined;
      return requests.findOne({ repositoryId, sourceRepositoryId, sourceBranch, targetBranch, state: 'open' })?.number;
    },
    openFrom: async ({ repositoryId, branch }, after, limit) =>
      openOnes({ sourceRepositoryId: repositoryId, sourceBranch: branch }, after, limit),
    openFromOthers: async (of, after, limit) =>
      requests
        .find({ where: stillFollowed(of), orderBy: 'id' })
        .filter(({ id }) => after === undefined || id > after)
        .slice(0, limit)
        .map(requestOf),
    openFromForks: async (repositoryId, after, limit) =>
      requests
        .find({
          where: (row) =>
            row.repositoryId === repositoryId &&
            row.state === 'open' &&
            row.sourceRepositoryId !== repositoryId &&
            (after === undefined || row.id > after),
          orderBy: 'id',
          limit,
        })
        .map(requestOf),
    openIntoAny: async (repositoryId, branches, limit) =>
      requests
        .find({
          where: (row) =>
            row.repositoryId === repositoryId && row.state === 'open' && branches.includes(row.targetBranch),
          orderBy: 'id',
          limit,
        })
        .map(requestOf),
    countOpenFrom: async ({ repositoryId, branch }, authorId) =>
      requests.count({ sourceRepositoryId: repositoryId, sourceBranch: branch, authorId, state: 'open' }),
    openInto: async ({ repositoryId, branch }, after, limit) =>
      openOnes({ repositoryId, targetBranch: branch }, after, limit),

    countByUser: async (userIds) =>
      new Map(
        userIds.map((id) => [
          id,
          requests.count({ authorId: id }) +
            requests.count({ mergedById: id }) +
            reviews.count({ userId: id }) +
            comments.count({ authorId: id }),
        ]),
      ),
    countOpen: async (repositoryIds) =>
      new Map(repositoryIds.map((id) => [id, requests.count({ repositoryId: id, state: 'open' })])),
  } satisfies MergeStore;
}
