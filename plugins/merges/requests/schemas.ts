// The JSON shapes of merge requests.
import {
  count,
  flag,
  list,
  maybe,
  oneOf,
  orNull,
  pageOf,
  pageQuery,
  shape,
  text,
  time,
  userShape,
  uuid,
  word,
  type TypeOf,
} from 'hexforge/plugin';
import { mergeBounds, mergeStates, pipelineVerdicts, reviewStates } from 'hexforge/merges';
import { diffMembers } from '../files/schemas.ts';

const title = () => word().max(mergeBounds.title);
const markdown = () => text().max(mergeBounds.description);
const ids = (most: number) => maybe(list(uuid()).max(most));

const written = {
  description: maybe(markdown().description('Markdown')),
  body: maybe(markdown().description('The same as "description", which wins')),
  draft: maybe(flag().strict()),
  label_ids: ids(mergeBounds.labels),
  assignee_ids: ids(mergeBounds.assignees),
  reviewer_ids: ids(mergeBounds.reviewers),
  milestone_id: maybe(orNull(uuid())),
};

const source = () => word().description('A branch; OWNER:BRANCH where it is of a fork');

export const mergeBody = shape({
  ...written,
  title: title(),
  source_branch: source(),
  target_branch: word(),
}).id('MergeCreate');

export const mergeChangeBody = shape({
  ...written,
  title: maybe(title()),
  state: maybe(oneOf('open', 'closed')),
  target_branch: maybe(word()),
}).id('MergeUpdate');

export const mergeListQuery = shape({
  ...pageQuery,
  state: maybe(
    oneOf(...mergeStates, 'all')
      .empty('')
      .description('Default: open'),
  ),
});

/** The query of the list of commits, which is returned as a plain JSON array. */
export const commitQuery = shape({
  page: pageQuery.page,
  per_page: maybe(word().empty('').description('1 to 250; default 250')),
});

const mergeCommitJson = shape({
  sha: word(),
  message: text(),
  author: text().description("The author's name"),
  date: time().description("The author's"),
}).id('MergeCommit');
export type MergeCommitJson = TypeOf<typeof mergeCommitJson>;
export const mergeCommitsJson = list(mergeCommitJson).description('Newest first');

export const prepareBody = shape({
  source_branch: source(),
  target_branch: word(),
  title: maybe(text().max(mergeBounds.title)),
  description: maybe(markdown()),
  draft: maybe(flag().strict()),
}).id('MergePrepare');

export const preparedJson = shape({ url: word(), expires_at: orNull(time()) }).id('MergePrepared');

const userJson = userShape().id('MergeUser');

/** The members of a merge request, in lists and alone. */
export const mergeMembers = {
  id: uuid(),
  repo_id: uuid(),
  number: count(),
  title: text(),
  description: text(),
  state: oneOf(...mergeStates),
  is_draft: flag(),
  source_branch: text().description('Without the owner, also where it is of a fork'),
  target_branch: text(),
  source_branch_protected: flag().description("Of a fork's branch: false in lists"),
  source_repo: orNull(shape({ id: uuid(), owner: text(), name: text() }).id('MergeSource')).description(
    'null where it is gone, or is not for you to know of',
  ),
  author: userJson,
  assignees: list(userJson),
  reviewers: list(shape({ user: userJson, state: oneOf(...reviewStates) }).id('MergeReviewer')).description(
    'Empty in lists',
  ),
  labels: list(shape({ id: uuid(), name: text(), color: text() }).id('MergeLabel')).description('Empty in lists'),
  milestone: orNull(shape({ id: uuid(), title: text(), due_date: orNull(text()), state: text() }).id('MergeMilestone')),
  ci_status: oneOf(...pipelineVerdicts),
  commits_count: count().description('0 in lists'),
  additions: count().description('0 in lists'),
  deletions: count().description('0 in lists'),
  diff: text().description('Unified; empty in lists, and where it is suppressed'),
  diff_suppressed: flag(),
  merge_commit: maybe(word()),
  created_at: time(),
  updated_at: time(),
  merged_at: maybe(time()),
  closed_at: maybe(time()),
};

export const mergeItemJson = shape(mergeMembers).id('MergeItem');
export const mergePageJson = pageOf(mergeItemJson).id('MergePage');

/** A single merge request. */
export const mergeJson = shape({
  ...mergeMembers,
  ...diffMembers,
  source_access_lost: maybe(
    flag().description(
      'true where an open request does not follow its source in another repository until somebody who can push there reopens it',
    ),
  ),
}).id('Merge');
