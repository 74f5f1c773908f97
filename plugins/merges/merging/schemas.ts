// The JSON shapes of a merge.
import { flag, list, maybe, oneOf, shape, text, word } from 'hexforge/plugin';
import { mergeRuleCodes } from 'hexforge/merges';
import { mergeStrategies } from 'hexforge/repositories';

/** The full id of the head that the caller looked at. */
export const headSha = (done: string) =>
  maybe(
    word()
      .max(64)
      .description(`The head that you looked at. If it is another now, nothing is ${done}: 409 head_changed`),
  );

const identity = () => maybe(text().max(255));

export const strategy = () => maybe(oneOf(...mergeStrategies).description('Default: merge'));

export const mergingBody = shape({
  strategy: strategy(),
  commit_message: maybe(text().max(65_536).description('Of rebased commits no message is changed')),
  author_name: identity().description("Default: the caller's username"),
  author_email: identity().description("Default: the caller's address"),
  delete_source_branch: maybe(flag().strict()),
  sha: headSha('merged'),
}).id('MergeMerge');

export const blockedMembers = shape({
  reason: maybe(
    oneOf(...mergeRuleCodes, 'head_changed').description('The rule that is in the way: the same as "error_code"'),
  ),
  conflicts: maybe(list(word()).description('Paths')),
});
