// The stores of stars and watches, in SQL and in memory.
import { storeOf } from 'hexforge/plugin';
import type { MarkStore } from 'hexforge/repositories';
import { markRows } from '../tables.ts';

export const markStore = storeOf(markRows, (marks): MarkStore => ({
  set: async (mark, repositoryId, userId, createdAt) =>
    (await marks[mark].addMany([{ repositoryId, userId, createdAt }])) > 0,
  has: async (mark, repositoryId, userId) => (await marks[mark].findOne({ repositoryId, userId })) !== undefined,
  remove: async (mark, repositoryId, userId) => (await marks[mark].delete({ repositoryId, userId })) !== undefined,
}));
