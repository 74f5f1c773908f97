// What is in the way of a merge (document B, "States and transitions"; document D, "Merge requests"): every rule that
// blocks it, decided here for merging and for whoever asks why it cannot be merged.
import { Conflict } from '#core/kernel/errors';
import type { Oid, Repository } from '#core/repositories/index';
import { unmetApprovals, type UnmetApprovals } from './approvals.ts';
import { branchTip } from './branches.ts';
import { noneWhereGone } from './heads.ts';
import type { MergeRequest } from './merge-request.ts';
import type { MergeParts } from './parts.ts';
import { pipelineRefusal, verdictsOf, type PipelineRefusal } from './pipeline-verdicts.ts';

/** Codes of the rules, as a refused merge carries them. */
export const mergeRuleCodes = [
  'already_merged',
  'closed',
  'draft_not_ready',
  'source_branch_missing',
  'target_branch_missing',
  'pending_reviews',
  'pipeline_missing',
  'pipeline_pending',
  'pipeline_failed',
  'merge_conflict',
  'rebase_too_long',
] as const;
/** The code of a rule that stands in the way of a merge. */
export type MergeRuleCode = (typeof mergeRuleCodes)[number];

/** A rule that blocks a merge. */
export interface MergeRule {
  readonly code: MergeRuleCode;
  /** What would lift it. */
  readonly detail: string;
}

/** What the rules look at. */
export interface MergeSituation {
  readonly request: Pick<MergeRequest, 'state' | 'isDraft' | 'sourceBranch' | 'targetBranch'>;
  readonly hasSource: boolean;
  readonly hasTarget: boolean;
  /** With names instead of ids. */
  readonly unmet: UnmetApprovals | undefined;
  readonly pipeline: PipelineRefusal | undefined;
}

/** All that block it, in the order in which they are told; a conflict is for git to find. */
export function blockingRules({
  request: { state, isDraft, sourceBranch, targetBranch },
  hasSource,
  hasTarget,
  unmet,
  pipeline,
}: MergeSituation): readonly MergeRule[] {
  if (state === 'merged') return [{ code: 'already_merged', detail: 'Nothing is left to be merged' }];
  const rules: (MergeRule | false | undefined)[] = [
    state === 'closed' && { code: 'closed', detail: 'Reopen it' },
    isDraft && { code: 'draft_not_ready', detail: 'Say that it is no draft any more' },
    !hasSource && {
      code: 'source_branch_missing',
      detail: `Push "${sourceBranch}" to where it was, or close the merge request`,
    },
    !hasTarget && { code: 'target_branch_missing', detail: `Push "${targetBranch}", or choose another target` },
    unmet && { code: 'pending_reviews', detail: approvalsNeeded(unmet) },
    pipeline,
  ];
  return rules.filter((rule) => rule !== false && rule !== undefined);
}

function approvalsNeeded({ missing, waitingFor }: UnmetApprovals): string {
  const people = waitingFor.length > mostNamed ? [...waitingFor.slice(0, mostNamed), 'others'] : waitingFor;
  return [
    ...(people.length === 0 ? [] : [`Approval by ${people.join(', ')}`]),
    ...(missing === 0 ? [] : [`${missing} more approval${missing === 1 ? '' : 's'} by others who may push`]),
  ].join('; ');
}

const mostNamed = 10;

/** Git has found that they do not come together by themselves. */
export const conflictRule: MergeRule = {
  code: 'merge_conflict',
  detail: 'Merge the target into the source by hand, or rebase it, and push the outcome',
};

const sentences: Readonly<Record<MergeRuleCode, string>> = {
  already_merged: 'The merge request is merged already',
  closed: 'The merge request is closed',
  draft_not_ready: 'The merge request is a draft',
  source_branch_missing: 'The source branch is gone',
  target_branch_missing: 'The target branch is gone',
  pending_reviews: 'The merge request waits for reviews',
  pipeline_missing: 'The target branch requires a pipeline that succeeds',
  pipeline_pending: 'The target branch requires a pipeline that succeeds',
  pipeline_failed: 'The target branch requires a pipeline that succeeds',
  merge_conflict: 'The branches have conflicting changes',
  rebase_too_long: 'There are too many commits to be rebased',
};

/** The refusal of a merge that a rule blocks; `reason` is the code, as document B calls it. */
export const blocked = ({ code, detail }: MergeRule, body: Readonly<Record<string, unknown>> = {}): Conflict =>
  new Conflict(sentences[code], { code, detail, body: { reason: code, ...body } });

type Parts = Pick<MergeParts, 'git' | 'reviews' | 'repositories' | 'users' | 'pipelines'>;

/** A merge request as it stands before a merge. */
export interface MergeOutlook {
  readonly rules: readonly MergeRule[];
  /** Where the two branches stand; undefined where they are gone. */
  readonly source: Oid | undefined;
  readonly target: Oid | undefined;
}

/** Asks for all that the rules look at, as it is at this moment. */
export async function outlookOf(
  parts: Parts,
  repository: Pick<Repository, 'id'>,
  request: MergeRequest,
): Promise<MergeOutlook> {
  const { git, pipelines, repositories } = parts;
  const { sourceRepositoryId, sourceBranch, targetBranch, headOid } = request;
  const [source, target, protections, verdict] = await Promise.all([
    sourceRepositoryId === undefined
      ? undefined
      : branchTip(git, sourceRepositoryId, sourceBranch).catch(noneWhereGone),
    branchTip(git, repository.id, targetBranch),
    repositories.protections(repository.id),
    verdictsOf(pipelines, repository.id, [headOid]),
  ]);
  const protection = protections.get(targetBranch);
  const rules = blockingRules({
    request,
    hasSource: source !== undefined,
    hasTarget: target !== undefined,
    unmet: await approvalsOf(parts, repository.id, request, protection?.requiredApprovals ?? 0),
    pipeline: pipelineRefusal(protection, 'onMerge', verdict(headOid)),
  });
  return { rules, source, target };
}

async function approvalsOf(
  { reviews, repositories, users }: Parts,
  repositoryId: string,
  { id, authorId }: MergeRequest,
  required: number,
): Promise<UnmetApprovals | undefined> {
  const given = await reviews.find({ where: { requestId: id }, orderBy: ['id'] });
  const reviewers = given.map(({ userId }) => userId);
  const couldPush =
    required === 0 ? new Set<string>() : await repositories.holders(repositoryId, 'repo.write', reviewers);
  const unmet = unmetApprovals({ reviews: given, required, authorId, couldPush });
  if (unmet === undefined || unmet.waitingFor.length === 0) return unmet;
  const people = await users.byIds(unmet.waitingFor);
  const names = unmet.waitingFor.map((userId) => people.get(userId)?.username ?? userId);
  return { ...unmet, waitingFor: names.toSorted() };
}
