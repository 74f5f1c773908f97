// Changes, closes and reopens a merge request. Allowed to the author and to holders of merge.update. Users who can push
// to its source may close and reopen it.
import { changed, sameMembers } from '#core/kernel/storage/changed';
import { ValidationFailed } from '#core/kernel/errors';
import { attachedLabels, checkMilestone } from '#core/planning/index';
import { checkAuthorOr, type Oid } from '#core/repositories/index';
import { branchTip, presentBranch } from '../model/branches.ts';
import { canPush } from '../merging/can-push.ts';
import { aboutMerge } from '../model/events.ts';
import { checkPair, checkPeople, checkTitle, type MergeFields, type MergeSets } from './fields.ts';
import { followAndKeep } from '../merging/heads.ts';
import { whileHeadIsKept } from '../merging/reopen-head.ts';
import { agreed, sourceLossNow } from '../model/source-access.ts';
import { dismissApprovals, dismissesApprovals } from '../merging/stale-approvals.ts';
import { heldRequest, knownRequest, settledRequest, type Reading, type Writing } from '../model/held-request.ts';
import { isFromFork, isLetGo, type MergeRequest, type MergeView } from '../model/merge-request.ts';
import { checkMayOpen, checkOnlyOne, sameIsOpen, settleOther } from './may-open.ts';
import { checkPipelineFor } from './open-request.ts';
import type { MergeParts } from '../model/parts.ts';
import type { HeldRequest, MergePatch } from '../model/ports.ts';
import { askForReviews } from './requested-reviews.ts';
import { viewAfterChange } from '../model/view.ts';

/** Absent members stay unchanged. */
export interface UpdateCommand extends MergeFields, MergeSets {
  readonly number: number;
  readonly state?: 'open' | 'closed' | undefined;
  readonly targetBranch?: string | undefined;
}

/** @throws {NotFound | Forbidden | ValidationFailed | Conflict} */
export const updateRequest =
  (parts: MergeParts) =>
  async (granted: Writing, command: UpdateCommand): Promise<MergeView> => {
    const { number, ...asked } = command;
    const { resource: repository, call } = granted;
    const known = await settledRequest(parts, repository, number, call.signal);
    const canPush = await canPushToSource(parts, granted, known, command);
    if (!(canPush && onlyState(asked))) checkAuthorOr(granted, known, changing);
    if (Object.values(asked).every((value) => value === undefined))
      throw new ValidationFailed('There is nothing to change', {
        detail: 'Send at least one of "title", "description", "state", "draft", "target_branch" and the ids',
      });
    const target = command.targetBranch ?? known.targetBranch;
    const tip = await branchTip(parts.git, repository.id, target);
    if (command.targetBranch !== undefined || command.state === 'open') presentBranch(tip, 'target_branch');
    if (target !== known.targetBranch)
      await checkPipelineFor(parts, { repositoryId: repository.id, targetBranch: target }, known.headOid);
    const pair = { ...known, targetBranch: target };
    if (command.state === 'open' || target !== known.targetBranch) await settleOther(parts, pair, call.signal);
    const isReopened = command.state === 'open' && isLetGo(known);
    if (isReopened) await checkMayOpen(parts, granted, pair, known.authorId);
    const change = (head = known.headOid): Promise<boolean> =>
      changeRow(parts, granted, command, { canPush, tip, head }).catch(sameIsOpen);
    const follows = isReopened ? await whileHeadIsKept(parts, known, { canPush, call }, change) : await change();
    if (follows) await followReopened(parts, granted, number);
    return await viewAfterChange(parts, repository, call, { number });
  };

/** The input of a change that is read before its unit of work. */
interface Decided {
  readonly canPush: boolean;
  /** The tip of the target branch. */
  readonly tip: Oid | undefined;
  /** The head of the request if it is reopened. */
  readonly head: Oid;
}

/** @returns whether the request was reopened. */
async function changeRow(
  parts: MergeParts,
  granted: Writing,
  command: UpdateCommand,
  { canPush, tip, head }: Decided,
): Promise<boolean> {
  const { resource: repository, call } = granted;
  const known = await knownRequest(parts, repository, command.number);
  const dismisses = head !== known.headOid && (await dismissesApprovals(parts, known, head, call.signal));
  return parts.unitOfWork.run(async () => {
    const before = await heldRequest(parts, repository, command.number);
    checkStates(before, command);
    const changes = await changedFields(parts, granted, before, command, tip);
    const fields = {
      ...changes,
      ...(canPush && command.state === 'open' && (await takenOver(parts, granted, before))),
      ...(changes.state === 'open' && head !== before.headOid && { headOid: head }),
    };
    if ('state' in fields || 'targetBranch' in fields) {
      const pair = { ...before, ...fields };
      checkPair(pair);
      if (fields.state === 'open') await checkMayOpen(parts, granted, pair, before.authorId);
      else if (pair.state === 'open') await checkOnlyOne(parts.store, pair);
    }
    if (Object.keys(fields).length > 0) await parts.store.update(before.id, { ...fields, updatedAt: call.now });
    const members = [...namesOf(fields), ...(await replaceSets(parts, granted, before, command))];
    if (members.length > 0 && Object.keys(fields).length === 0)
      await parts.store.update(before.id, { updatedAt: call.now });
    const after = { ...before, ...fields };
    if (after.targetBranch !== before.targetBranch || (dismisses && 'headOid' in fields))
      await dismissApprovals(parts, after, call.caller.id, call.now);
    const state = 'reopenedById' in fields ? 'open' : fields.state;
    await tell(parts, granted, after, { members, state });
    if (after.headOid !== before.headOid) {
      const moved = aboutMerge(after, call.caller.id, { old_head: before.headOid });
      await parts.events.emit({ type: 'merge.pushed', ...moved });
    }
    return state === 'open';
  });
}

const changing = { what: 'merge request', permission: 'merge.update' } as const;

const onlyState = (asked: Omit<UpdateCommand, 'number'>): boolean =>
  Object.entries(asked).every(([member, value]) => member === 'state' || value === undefined);

/** Whether the command closes or reopens a request from another repository that the caller can push to. */
export async function canPushToSource(
  { access, repositories }: Pick<MergeParts, 'access' | 'repositories'>,
  { call }: Reading,
  request: MergeRequest,
  { state }: Pick<UpdateCommand, 'state'>,
): Promise<boolean> {
  const { sourceRepositoryId } = request;
  if (state === undefined || request.state === 'merged' || !isFromFork(request) || sourceRepositoryId === undefined)
    return false;
  const source = await repositories.byId(sourceRepositoryId);
  return source !== undefined && canPush(access, call, source);
}

/**
 * The members that make a caller who can push to the source the pusher of a request that they reopen. An open request
 * that no longer follows its source is reopened too.
 */
async function takenOver(
  parts: Pick<MergeParts, 'repositories'>,
  { call }: Writing,
  before: MergeRequest,
): Promise<Partial<Omit<MergePatch, 'updatedAt'>>> {
  if (before.state === 'open' && before.sourceLoss === null) {
    // The loss may not be recorded yet.
    if ((await sourceLossNow(parts, before)) === undefined) return {};
  }
  return { ...(await agreed(parts, before)), reopenedById: call.caller.id, sourceLoss: null };
}

/**
 * Follows the source, which may have moved while the request was closed. Never rejects, because the request is already
 * open: if this fails, the handler of `merge.reopened` does it again.
 */
async function followReopened(
  parts: MergeParts,
  { resource: repository, call }: Writing,
  number: number,
): Promise<void> {
  try {
    const request = await knownRequest(parts, repository, number);
    await followAndKeep(parts, request, { actorId: call.caller.id, signal: call.signal });
  } catch (error) {
    const members = { repository: repository.id, number, err: error };
    parts.log.warn(members, 'a reopened merge request does not follow its source yet');
  }
}

/**
 * A merged request keeps its state and target, and only an open request can become a draft or ready.
 * @throws {ValidationFailed}
 */
function checkStates({ state }: MergeRequest, command: UpdateCommand): void {
  if (state === 'merged' && (command.state !== undefined || command.targetBranch !== undefined))
    throw new ValidationFailed('The merge request is merged already', {
      detail: `"${command.state === undefined ? 'target_branch' : 'state'}" cannot be changed any more`,
    });
  if (command.isDraft !== undefined && (command.state ?? state) !== 'open' && state !== 'open')
    throw new ValidationFailed('Only an open merge request can become a draft, or ready', {
      detail: `"draft" cannot be changed while the request is ${state}`,
    });
}

/** @param tip the tip of the target branch. */
async function changedFields(
  parts: MergeParts,
  granted: Writing,
  before: HeldRequest,
  { title, description, isDraft, milestoneId, targetBranch, state }: UpdateCommand,
  tip: Oid | undefined,
): Promise<Omit<MergePatch, 'updatedAt'>> {
  const fields = changed<MergeRequest>(before, {
    title: title === undefined ? undefined : checkTitle(title),
    description,
    isDraft,
    milestoneId,
    targetBranch,
    state,
  });
  if (typeof fields.milestoneId === 'string') await checkMilestone(parts, granted, fields.milestoneId);
  if (fields.state === 'closed') return { ...fields, closedAt: granted.call.now, baseOid: tip ?? null };
  return fields.state === 'open' ? { ...fields, closedAt: null, baseOid: null } : fields;
}

/** Maps a member of the record to its name in a body. The other members follow from the state. */
const names: Readonly<Record<string, string>> = {
  title: 'title',
  description: 'description',
  isDraft: 'draft',
  milestoneId: 'milestone_id',
  targetBranch: 'target_branch',
};

const namesOf = (fields: object): readonly string[] => Object.keys(fields).flatMap((member) => names[member] ?? []);

/** @returns the members of the body whose sets have changed. */
async function replaceSets(
  parts: MergeParts,
  granted: Writing,
  before: HeldRequest,
  { labelIds, assigneeIds, reviewerIds }: MergeSets,
): Promise<readonly string[]> {
  const { store } = parts;
  const members: string[] = [];
  if (labelIds !== undefined && !sameMembers(before.labelIds, labelIds)) {
    await store.replaceLabels(before.id, await attachedLabels(parts, granted, { labelIds }));
    members.push('label_ids');
  }
  if (assigneeIds !== undefined && !sameMembers(before.assigneeIds, assigneeIds)) {
    await store.replaceAssignees(before.id, await checkPeople(parts, granted, 'assignee_ids', assigneeIds));
    members.push('assignee_ids');
  }
  if (reviewerIds !== undefined) {
    const reviewers = await checkPeople(parts, granted, 'reviewer_ids', reviewerIds);
    if (await askForReviews(parts, granted, before, reviewers)) members.push('reviewer_ids');
  }
  return members;
}

async function tell(
  { events }: Pick<MergeParts, 'events'>,
  { call }: Writing,
  request: MergeRequest,
  { members, state }: { readonly members: readonly string[]; readonly state: MergeRequest['state'] | undefined },
): Promise<void> {
  const actorId = call.caller.id;
  if (members.length > 0)
    await events.emit({ type: 'merge.updated', ...aboutMerge(request, actorId, { changed: members }) });
  if (state !== undefined)
    await events.emit({ type: state === 'open' ? 'merge.reopened' : 'merge.closed', ...aboutMerge(request, actorId) });
}
