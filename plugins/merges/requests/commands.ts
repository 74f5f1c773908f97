// Converts request bodies to commands. An absent member stays absent.
import type { MergeUseCases } from '#core/merges/use-cases';
import type { MergeBody, MergeChangeBody } from './schemas.ts';

/** The members that `open` and `update` share. `body` is an alias of `description`, which takes precedence. */
const written = ({
  body,
  description = body,
  draft,
  label_ids,
  assignee_ids,
  reviewer_ids,
  milestone_id,
}: Omit<MergeChangeBody, 'title' | 'state' | 'target_branch'>) => ({
  description,
  isDraft: draft,
  labelIds: label_ids,
  assigneeIds: assignee_ids,
  reviewerIds: reviewer_ids,
  milestoneId: milestone_id,
});

export const openCommand = ({
  title,
  source_branch,
  target_branch,
  ...body
}: MergeBody): Parameters<MergeUseCases['open']>[1] => ({
  ...written(body),
  title,
  source: source_branch,
  targetBranch: target_branch,
});

export const updateCommand = ({
  title,
  state,
  target_branch,
  ...body
}: MergeChangeBody): Omit<Parameters<MergeUseCases['update']>[1], 'number'> => ({
  ...written(body),
  title,
  state,
  targetBranch: target_branch,
});
