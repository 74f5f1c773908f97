// Opens a merge request.
import { Forbidden } from '#core/kernel/errors';
import { attachedLabels, checkMilestone } from '#core/planning/index';
import { branchTip, presentBranch, sourceNamed } from '../model/branches.ts';
import { aboutMerge } from '../model/events.ts';
import { checkPair, checkPeople, checkTitle, type MergeFields, type MergeSets } from './fields.ts';
import { broughtFor, keepHead } from '../merging/heads.ts';
import { agreed, sourceLossNow } from '../model/source-access.ts';
import type { Writing } from '../model/held-request.ts';
import { type MergeRequest, type MergeView } from '../model/merge-request.ts';
import type { MergeParts } from '../model/parts.ts';
import { checkPipeline, verdictsOf } from '../model/pipeline-verdicts.ts';
import type { BranchPair } from '../model/ports.ts';
import { checkMayOpen, sameIsOpen, settleOther } from './may-open.ts';
import { askForReviews } from './requested-reviews.ts';
import { viewAfterChange } from '../model/view.ts';

export interface OpenCommand extends MergeFields, MergeSets {
  readonly title: string;
  /** A branch of the repository, or `OWNER:branch`. */
  readonly source: string;
  readonly targetBranch: string;
}

/** @throws {ValidationFailed | Forbidden | Conflict | Unprocessable} */
export const openRequest =
  (parts: MergeParts) =>
  async (granted: Writing, command: OpenCommand): Promise<MergeView> => {
    const { store, git, heads, unitOfWork, events, ids, log } = parts;
    const { resource: repository, call } = granted;
    const { labelIds, assigneeIds = [], reviewerIds = [], milestoneId = null, targetBranch } = command;
    const title = checkTitle(command.title);
    const source = await sourceNamed(parts, granted, command.source);
    const pair: BranchPair = {
      repositoryId: repository.id,
      sourceRepositoryId: source.repositoryId,
      sourceBranch: source.branch,
      targetBranch,
    };
    presentBranch(await branchTip(git, repository.id, targetBranch), 'target_branch');
    checkPair(pair);
    await settleOther(parts, pair, call.signal);
    await checkPipelineFor(parts, pair, source.tip);
    const id = ids.uuid();
    const isBrought = source.repositoryId !== repository.id;
    const check = async () => {
      await checkMayOpen(parts, granted, pair, call.caller.id);
      return {
        assignees: await checkPeople(parts, granted, 'assignee_ids', assigneeIds),
        reviewers: await checkPeople(parts, granted, 'reviewer_ids', reviewerIds),
      };
    };
    if (isBrought) {
      await check();
      await heads.bring(
        repository.id,
        {
          sourceRepositoryId: source.repositoryId,
          commit: source.tip,
          broughtFor: broughtFor({ id, authorId: call.caller.id }),
        },
        { caller: call.caller, signal: call.signal },
      );
    }
    const request = await unitOfWork
      .run(async () => {
        const opened: MergeRequest = {
          ...pair,
          ...(await agreed(parts, pair)),
          reopenedById: null,
          sourceLoss: null,
          id,
          // From this statement until the unit of work ends, no other request of the repository can be opened.
          number: await store.nextNumber(repository.id),
          title,
          description: command.description ?? '',
          state: 'open',
          isDraft: command.isDraft ?? false,
          authorId: call.caller.id,
          milestoneId,
          headOid: source.tip,
          baseOid: null,
          mergeCommit: null,
          mergedById: null,
          createdAt: call.now,
          updatedAt: call.now,
          mergedAt: null,
          closedAt: null,
        };
        await checkStillPushes(parts, opened);
        const { assignees, reviewers } = await check();
        if (milestoneId !== null) await checkMilestone(parts, granted, milestoneId);
        await store.insert(opened);
        await store.replaceAssignees(opened.id, assignees);
        await store.replaceLabels(opened.id, await attachedLabels(parts, granted, { labelIds }));
        await events.emit({ type: 'merge.opened', ...aboutMerge(opened, call.caller.id) });
        await askForReviews(parts, granted, opened, reviewers);
        return opened;
      })
      .catch(async (error: unknown) => {
        if (isBrought)
          await heads.letGo(repository.id, undefined, id).catch((cause: unknown) => {
            log.warn({ repository: repository.id, err: cause }, 'commits of a refused request are let go later');
          });
        return sameIsOpen(error);
      });
    // If this fails, the handler of `merge.opened` does it again.
    await keepHead(parts, request, call.signal).catch((error: unknown) => {
      log.warn({ repository: repository.id, number: request.number, err: error }, 'a head is not kept yet');
    });
    return await viewAfterChange(parts, repository, call, request);
  };

/** Access to the source may have been lost while its commits were copied. @throws {Forbidden} */
async function checkStillPushes(parts: Pick<MergeParts, 'repositories'>, opened: MergeRequest): Promise<void> {
  if ((await sourceLossNow(parts, opened)) === undefined) return;
  throw new Forbidden('You may not push to the source any more', { detail: 'It needs the permission "repo.write"' });
}

/** Checks the rule of the target branch that requires a pipeline before a request is opened. @throws {Conflict} */
export async function checkPipelineFor(
  { repositories, pipelines }: Pick<MergeParts, 'repositories' | 'pipelines'>,
  { repositoryId, targetBranch }: Pick<BranchPair, 'repositoryId' | 'targetBranch'>,
  head: MergeRequest['headOid'],
): Promise<void> {
  const protection = (await repositories.protections(repositoryId)).get(targetBranch);
  if (protection?.requiredPipeline.onOpen !== true) return;
  const verdict = await verdictsOf(pipelines, repositoryId, [head]);
  checkPipeline(protection, 'onOpen', verdict(head));
}
