// The public interface of the area "merges": types, pure rules, ports and events.
export * from './model/approvals.ts';
export * from './model/comment.ts';
export {
  diffSuppressions,
  suppressionOf,
  type DiffSettings,
  type DiffSuppression,
  type MergeDiff,
} from './model/diff.ts';
export * from './model/events.ts';
export type { FileDiff } from './requests/files.ts';
export type { DiffHunk, DiffLine } from '#core/repositories/index';
export * from './model/merge-request.ts';
export { mergeRuleCodes, type MergeRule, type MergeRuleCode } from './merging/merge-rules.ts';
export { mergeabilityStates, type Mergeability } from './merging/mergeability.ts';
export * from './model/offers.ts';
export * from './model/permissions.ts';
export * from './model/pipeline-verdicts.ts';
export * from './model/ports.ts';
export { reviewStates, verdicts, type MergeReview, type ReviewState, type Verdict } from './model/review.ts';
export { sourceLosses, type SourceLoss } from './model/source-access.ts';
export { longestText, unescaped } from './model/said.ts';
