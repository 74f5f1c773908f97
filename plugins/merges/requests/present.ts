// Converts merge requests to JSON.
import { presentUser } from 'hexforge/plugin';
import type { ListedRequest, MergeView } from 'hexforge/merges';
import type { CommitRecord } from 'hexforge/repositories';
import { presentDiff } from '../files/present.ts';
import type { MergeCommitJson, MergeItemJson, MergeJson } from './schemas.ts';

/** In lists, reviewers and labels are empty, counts are 0, and there is no diff. */
export const presentItem = (request: ListedRequest): MergeItemJson => ({
  id: request.id,
  repo_id: request.repositoryId,
  number: request.number,
  title: request.title,
  description: request.description,
  state: request.state,
  is_draft: request.isDraft,
  source_branch: request.sourceBranch,
  target_branch: request.targetBranch,
  source_branch_protected: request.sourceBranchProtected,
  source_repo: request.source && { id: request.source.id, owner: request.source.owner, name: request.source.name },
  author: presentUser(request.author),
  assignees: request.assignees.map(presentUser),
  reviewers: [],
  labels: [],
  milestone: request.milestone && {
    id: request.milestone.id,
    title: request.milestone.title,
    due_date: request.milestone.dueDate,
    state: request.milestone.state,
  },
  ci_status: request.ciStatus,
  commits_count: 0,
  additions: 0,
  deletions: 0,
  diff: '',
  diff_suppressed: false,
  ...(request.mergeCommit !== null && { merge_commit: request.mergeCommit }),
  created_at: request.createdAt.toISOString(),
  updated_at: request.updatedAt.toISOString(),
  ...(request.mergedAt !== null && { merged_at: request.mergedAt.toISOString() }),
  ...(request.closedAt !== null && { closed_at: request.closedAt.toISOString() }),
});

export const presentMerge = (request: MergeView): MergeJson => ({
  ...presentItem(request),
  reviewers: request.reviewers.map(({ user, state }) => ({ user: presentUser(user), state })),
  labels: request.labels.map(({ id, name, color }) => ({ id, name, color })),
  ...presentDiff(request.changes),
});

export const presentCommit = ({ oid, message, author }: CommitRecord): MergeCommitJson => ({
  sha: oid,
  message,
  author: author.name,
  date: author.date.toISOString(),
});
