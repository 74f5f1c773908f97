// The JSON shapes of branches.
import { count, flag, maybe, oneOf, pageOf, pageQuery, presenter, shape, text, time, word } from 'hexforge/plugin';
import { branchSorts, type Branch } from 'hexforge/repositories';
import { inRepository, sha } from '../shapes.ts';

export const branchParams = shape({ ...inRepository, branch: word().description('A slash in it is written %2F') });

export const branchQuery = shape({
  ...pageQuery,
  include_divergence: flag()
    .empty('')
    .default(false)
    .description('Counts the commits each branch has beside the default branch, and lacks of it; otherwise both are 0'),
  sort: maybe(
    oneOf(...branchSorts)
      .empty('')
      .description('Default: name'),
  ),
  order: maybe(oneOf('asc', 'desc').empty('').description('Default: asc; honoured beside sort alone')),
});

export const branchBody = shape({
  name: word(),
  base_ref: maybe(word().description('Branch, tag or commit; the default branch where it is absent')),
}).id('BranchCreate');

export const createdBranchJson = shape({ name: word(), base_ref: word() }).id('BranchCreated');
export const presentCreatedBranch = presenter(createdBranchJson);

const branchJson = shape({
  name: text(),
  commit_sha: sha(),
  commit_message: text().description('Its first line'),
  commit_author: text(),
  commit_date: time().description('When it was committed'),
  is_default: flag(),
  is_protected: flag(),
  ahead_count: count(),
  behind_count: count(),
}).id('Branch');
export const branchPageJson = pageOf(branchJson).id('BranchPage');

const present = presenter(branchJson, {
  commit_sha: 'oid',
  commit_message: 'subject',
  commit_author: 'author',
  commit_date: 'committedAt',
});
export const presentBranch = ({ divergence, ...branch }: Branch) =>
  present({ ...branch, aheadCount: divergence.ahead, behindCount: divergence.behind });
