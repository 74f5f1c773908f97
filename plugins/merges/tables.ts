// The tables of the plugin "merges" as entities, and the types of rows in queries.
import { defineEntity, numbers, p, type InferKyselyDB } from 'hexforge/plugin';
import type { IdentityViews } from 'hexforge/identity';
import { mergeStates, reviewStates } from 'hexforge/merges';
import type { RepositoryViews } from 'hexforge/repositories';

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

export const requestNumbers = numbers('merges_counter');

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
    body: p.text(),
    resolved: p.boolean(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
});

export const entities = [RequestTable, RequestLabelTable, AssigneeTable, ReviewTable, CommentTable] as const;

/** The types of rows in queries, including the views of other areas. */
export type MergesRows = InferKyselyDB<(typeof entities)[number]> & IdentityViews & RepositoryViews;
