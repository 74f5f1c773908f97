// The tables of the plugin "merges" as entities, and the types of rows in queries.
import { defineEntity, numbers, p, rows, type InferKyselyDB } from 'hexforge/plugin';
import type { IdentityViews } from 'hexforge/identity';
import {
  mergeStates,
  openPairUnique,
  reviewStates,
  sourceLosses,
  type MergeComment,
  type MergeRequest,
  type MergeReview,
} from 'hexforge/merges';
import { visibilities, type RepositoryViews } from 'hexforge/repositories';

export const RequestTable = defineEntity({
  name: 'merges.Request',
  tableName: 'merges_request',
  properties: {
    id: p.uuid().primary(),
    repositoryId: p.uuid(),
    number: p.integer(),
    title: p.text(),
    description: p.text(),
    state: p.enum(mergeStates),
    isDraft: p.boolean(),
    sourceRepositoryId: p.uuid().nullable(),
    sourceBranch: p.text(),
    reopenedById: p.uuid().nullable(),
    sourceLoss: p.enum(sourceLosses).nullable(),
    sourceVisibility: p.enum(visibilities).nullable(),
    targetVisibility: p.enum(visibilities).nullable(),
    targetBranch: p.text(),
    authorId: p.uuid(),
    milestoneId: p.uuid().nullable(),
    headOid: p.text(),
    baseOid: p.text().nullable(),
    mergeCommit: p.text().nullable(),
    mergedById: p.uuid().nullable(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
    mergedAt: p.datetime().nullable(),
    closedAt: p.datetime().nullable(),
  },
});

export const RequestLabelTable = defineEntity({
  name: 'merges.RequestLabel',
  tableName: 'merges_label',
  properties: { requestId: p.uuid().primary(), labelId: p.uuid().primary() },
});

export const AssigneeTable = defineEntity({
  name: 'merges.Assignee',
  tableName: 'merges_assignee',
  properties: { requestId: p.uuid().primary(), userId: p.uuid().primary() },
});

export const ReviewTable = defineEntity({
  name: 'merges.Review',
  tableName: 'merges_review',
  properties: {
    id: p.uuid().primary(),
    requestId: p.uuid(),
    userId: p.uuid(),
    state: p.enum(reviewStates),
    body: p.text(),
    commitOid: p.text().nullable(),
    requestedAt: p.datetime().nullable(),
    submittedAt: p.datetime().nullable(),
    objected: p.boolean(),
  },
});

export const CommentTable = defineEntity({
  name: 'merges.Comment',
  tableName: 'merges_comment',
  properties: {
    id: p.uuid().primary(),
    requestId: p.uuid(),
    authorId: p.uuid(),
    commitOid: p.text().nullable(),
    filePath: p.text().nullable(),
    lineNumber: p.integer().nullable(),
    startLine: p.integer().nullable(),
    body: p.text(),
    resolved: p.boolean(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
});

export const requestNumbers = numbers('merges_counter');

const ofRequest = { requestId: { table: 'merges_request', onDelete: 'cascade' } } as const;
const byUser = { table: 'identity_user', onDelete: 'restrict' } as const;

/** A merge request as stored: its source repository is null when that was deleted. */
export type RequestRow = Omit<MergeRequest, 'sourceRepositoryId'> & { readonly sourceRepositoryId: string | null };
export const requestRows = rows<RequestRow>(RequestTable, {
  uniques: {
    merges_request_number: ['repositoryId', 'number'],
    [openPairUnique]: ({ state, repositoryId, sourceRepositoryId, sourceBranch, targetBranch }) =>
      state === 'open' && sourceRepositoryId !== null
        ? [repositoryId, sourceRepositoryId, sourceBranch, targetBranch]
        : undefined,
  },
  references: {
    repositoryId: { table: 'repositories_repository', onDelete: 'cascade' },
    sourceRepositoryId: { table: 'repositories_repository', onDelete: 'set null' },
    reopenedById: { table: 'identity_user', onDelete: 'set null' },
    authorId: byUser,
    mergedById: byUser,
  },
});
export const labelRows = rows<{ readonly requestId: string; readonly labelId: string }>(RequestLabelTable, {
  references: ofRequest,
});
export const assigneeRows = rows<{ readonly requestId: string; readonly userId: string }>(AssigneeTable, {
  references: { ...ofRequest, userId: { table: 'identity_user', onDelete: 'cascade' } },
});
export const reviewRows = rows<MergeReview>(ReviewTable, {
  uniques: { merges_review_user: ['requestId', 'userId'] },
  references: { ...ofRequest, userId: byUser },
});
export const commentRows = rows<MergeComment>(CommentTable, { references: { ...ofRequest, authorId: byUser } });

export const entities = [RequestTable, RequestLabelTable, AssigneeTable, ReviewTable, CommentTable] as const;

/** The types of rows in queries, including the views of other areas. */
export type MergesRows = InferKyselyDB<(typeof entities)[number]> & IdentityViews & RepositoryViews;
