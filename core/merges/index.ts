// The public interface of the area "merges": types, pure rules, ports and events.
export * from './approvals.ts';
export * from './comment.ts';
export { diffSuppressions, suppressionOf, type DiffSettings, type DiffSuppression, type MergeDiff } from './diff.ts';
export * from './events.ts';
export type { FileDiff } from './files.ts';
export type { DiffHunk, DiffLine } from './hunks.ts';
export * from './merge-request.ts';
export { mergeRuleCodes, type MergeRule, type MergeRuleCode } from './merge-rules.ts';
export { mergeabilityStates, type Mergeability } from './mergeability.ts';
export * from './permissions.ts';
export * from './pipeline-verdicts.ts';
export * from './ports.ts';
export * from './review.ts';
export { longestText } from './said.ts';
