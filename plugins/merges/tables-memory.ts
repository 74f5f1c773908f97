// The in-memory tables that several stores use, with the keys and foreign keys that the migrations declare.
import { openPairUnique, type MergeComment, type MergeRequest, type MergeReview } from 'hexforge/merges';
import type { MemoryDatabase, MemoryTable } from 'hexforge/plugin';

/** Deleting the source repository unsets `sourceRepositoryId` in memory, while SQL sets it to null. */
export type StoredRequest = Omit<MergeRequest, 'sourceRepositoryId'> & {
  readonly sourceRepositoryId?: string | undefined;
};

export const requestTable = (database: MemoryDatabase): MemoryTable<StoredRequest> =>
  database.table<StoredRequest>('merges_request', {
    key: 'id',
    uniques: {
      merges_request_number: ['repositoryId', 'number'],
      [openPairUnique]: ({ state, repositoryId, sourceRepositoryId, sourceBranch, targetBranch }) =>
        state === 'open' && sourceRepositoryId !== undefined
          ? [repositoryId, sourceRepositoryId, sourceBranch, targetBranch]
          : undefined,
    },
    references: {
      repositoryId: { table: 'repositories_repository', onDelete: 'cascade' },
      sourceRepositoryId: { table: 'repositories_repository', onDelete: 'set null' },
      authorId: { table: 'identity_user', onDelete: 'restrict' },
      mergedById: { table: 'identity_user', onDelete: 'restrict' },
    },
  });

const ofRequest = { requestId: { table: 'merges_request', onDelete: 'cascade' } } as const;

export const labelTable = (database: MemoryDatabase) =>
  database.table<{ readonly requestId: string; readonly labelId: string }>('merges_label', {
    key: ['requestId', 'labelId'],
    references: ofRequest,
  });

export const assigneeTable = (database: MemoryDatabase) =>
  database.table<{ readonly requestId: string; readonly userId: string }>('merges_assignee', {
    key: ['requestId', 'userId'],
    references: { ...ofRequest, userId: { table: 'identity_user', onDelete: 'cascade' } },
  });

/** The constraints of the table of reviews. */
export const reviewConstraints = {
  uniques: { merges_review_user: ['requestId', 'userId'] },
  references: { ...ofRequest, userId: { table: 'identity_user', onDelete: 'restrict' } },
} as const;

export const reviewTable = (database: MemoryDatabase): MemoryTable<MergeReview> =>
  database.table<MergeReview>('merges_review', { ...reviewConstraints, key: 'id' });

/** The constraints of the table of comments. */
export const commentConstraints = {
  references: { ...ofRequest, authorId: { table: 'identity_user', onDelete: 'restrict' } },
} as const;

export const commentTable = (database: MemoryDatabase): MemoryTable<MergeComment> =>
  database.table<MergeComment>('merges_comment', { ...commentConstraints, key: 'id' });
