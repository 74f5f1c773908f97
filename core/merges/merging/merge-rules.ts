// The rules that can block a merge. The merge itself and `mergeMergeability`, which explains why a request cannot be
// merged, both use them.
import { Conflict } from '#core/kernel/errors';
import type { Oid, Repository } from '#core/repositories/index';
import { unmetApprovals, type UnmetApprovals } from '../model/approvals.ts';
import { branchTip } from '../model/branches.ts';
import { noneWhereGone } from './heads.ts';
import type { MergeRequest } from '../model/merge-request.ts';
import type { MergeParts } from '../model/parts.ts';
import { pipelineRefusal, verdictsOf, type PipelineRefusal } from '../model/pipeline-verdicts.ts';
import { sourceLossDetails, sourceLossNow, type SourceLoss } from '../model/source-access.ts';

/** Codes of the rules, as in the response to a rejected merge. */
export const mergeRuleCodes = [
  'already_merged',
  'closed',
  'draft_not_ready',
  'source_access_lost',
  'source_branch_missing',
  'target_branch_missing',
  'pending_reviews',
  'pipeline_missing',
  'pipeline_pending',
  'pipeline_failed',
  'merge_conflict',
  'rebase_too_long',
] as const;
/** The code of a rule that blocks a merge. */
export type MergeRuleCode = (typeof mergeRuleCodes)[number];

/** A rule that blocks a merge. */
export interface MergeRule {
  readonly code: MergeRuleCode;
  /** How the user can lift the block. */
  readonly detail: string;
}

/** The input of the rules. */
export interface MergeSituation {
  readonly request: Pick<MergeRequest, 'state' | 'isDraft' | 'sourceBranch' | 'targetBranch'>;
  /** Why the request may not follow its source. */
  readonly loss: SourceLoss | undefined;
  /** Whether the source branch exists. Not considered if there is a loss. */
  readonly hasSource: boolean;
  readonly hasTarget: boolean;
  /** With usernames instead of ids. */
  readonly unmet: UnmetApprovals | undefined;
  readonly pipeline: PipelineRefusal | undefined;
}

/** All rules that block the merge, in the order of the response. Only git can find a conflict. */
export function blockingRules({
  request: { state, isDraft, sourceBranch, targetBranch },
  loss,
  hasSource,
  hasTarget,
  unmet,
  pipeline,
}: MergeSituation): readonly MergeRule[] {
  if (state === 'merged') return [{ code: 'already_merged', detail: 'Nothing is left to be merged' }];
  const rules: (MergeRule | false | undefined)[] = [
    state === 'closed' && { code: 'closed', detail: 'Reopen it' },
    isDraft && { code: 'draft_not_ready', detail: 'Say that it is no draft any more' },
    loss && { code: 'source_access_lost', detail: sourceLossDetails[loss] },
    !loss &&
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

/** Git found a conflict between the two branches. */
export const conflictRule: MergeRule = {
  code: 'merge_conflict',
  detail: 'Merge the target into the source by hand, or rebase it, and push the outcome',
};

const sentences: Readonly<Record<MergeRuleCode, string>> = {
  already_merged: 'The merge request is merged already',
  closed: 'The merge request is closed',
  draft_not_ready: 'The merge request is a draft',
  source_access_lost: 'The merge request no longer follows its source',
  source_branch_missing: 'The source branch is gone',
  target_branch_missing: 'The target branch is gone',
  pending_reviews: 'The merge request waits for reviews',
  pipeline_missing: 'The target branch requires a pipeline that succeeds',
  pipeline_pending: 'The target branch requires a pipeline that succeeds',
  pipeline_failed: 'The target branch requires a pipeline that succeeds',
  merge_conflict: 'The branches have conflicting changes',
  rebase_too_long: 'There are too many commits to be rebased',
};

/** The error for a merge that a rule blocks. `reason` in the body is the code of the rule. */
export const blocked = ({ code, detail }: MergeRule, body: Readonly<Record<string, unknown>> = {}): Conflict =>
  new Conflict(sentences[code], { code, detail, body: { reason: code, ...body } });

/** The same for a reopening: without `reason`. */
export const reopeningRefused = ({ code, detail }: MergeRule): Conflict =>
  new Conflict(sentences[code], { code, detail });

type Parts = Pick<MergeParts, 'git' | 'reviews' | 'repositories' | 'users' | 'pipelines'>;

/** The rules that block a merge now, and the tips of its branches. */
export interface MergeOutlook {
  readonly rules: readonly MergeRule[];
  /** The tips of the two branches. Undefined for a branch that does not exist, or that may not be followed. */
  readonly source: Oid | undefined;
  readonly target: Oid | undefined;
}

/** Reads the current input of the rules and applies them. */
export async function outlookOf(
  parts: Parts,
  repository: Pick<Repository, 'id'>,
  request: MergeRequest,
): Promise<MergeOutlook> {
  const { git, pipelines, repositories } = parts;
  const { sourceRepositoryId, sourceBranch, targetBranch, headOid } = request;
  const loss = request.state === 'merged' ? undefined : await sourceLossNow(parts, request);
  const [source, target, protections, verdict] = await Promise.all([
    sourceRepositoryId === undefined || loss !== undefined
      ? undefined
      : branchTip(git, sourceRepositoryId, sourceBranch).catch(noneWhereGone),
    branchTip(git, repository.id, targetBranch),
    repositories.protections(repository.id),
    verdictsOf(pipelines, repository.id, [headOid]),
  ]);
  const protection = protections.get(targetBranch);
  const rules = blockingRules({
    request,
    loss,
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
