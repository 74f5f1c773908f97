// Changes an issue. Allowed to the author and to holders of issue.write.
import { apiName, sameMembers } from '#core/kernel/storage/changed';
import { Forbidden, ValidationFailed } from '#core/kernel/errors';
import { attachedLabels, checkMilestone } from '#core/planning/index';
import { checkAuthorOr, type Repository } from '#core/repositories/index';
import { changedAssociations, replaceAssociations, type AssociationIds } from '../model/associations.ts';
import { recordDescription } from './description-history.ts';
import { aboutIssue } from '../model/events.ts';
import { detailOf } from './fetch-issue.ts';
import { changedFields, checkedFields, type IssueFields } from '../model/fields.ts';
import { checkAssignees, heldIssue, type Writing } from '../model/held-issue.ts';
import { typeRefusal } from '../model/hierarchy.ts';
import type { IssueDetail, IssueView } from '../model/issue.ts';
import type { IssueParts } from '../model/parts.ts';
import type { HeldIssue } from '../model/ports.ts';
import { allowedType } from '../catalogue/type-scheme.ts';

/** Absent members stay unchanged. A set that is present, even an empty one, replaces the existing one. */
export interface UpdateCommand extends IssueFields, AssociationIds {
  /** The issue reference of the path. */
  readonly number: string;
  readonly labelIds?: readonly string[] | undefined;
  readonly assigneeIds?: readonly string[] | undefined;
}

/** @throws {NotFound | Forbidden | ValidationFailed} */
export const updateIssue =
  (parts: IssueParts) =>
  (
    granted: Writing,
    { number, labelIds, assigneeIds, componentIds, fixVersionIds, affectsVersionIds, ...given }: UpdateCommand,
  ): Promise<IssueView & IssueDetail> => {
    const { store, unitOfWork, events } = parts;
    const { resource: repository, call } = granted;
    return unitOfWork.run(async () => {
      // The hierarchy is always locked before an issue, to avoid deadlocks.
      if (given.typeId !== undefined) await store.holdHierarchy(repository.id);
      const before = await heldIssue(parts, granted, number);
      checkAuthorOr(granted, before, { what: 'issue', permission: 'issue.write' });
      const fields = changedFields(before, checkedFields(given));
      if (fields.locked !== undefined) checkMayLock(granted);
      if (fields.typeId !== undefined) await checkTypeChange(parts, repository, before, fields.typeId);
      if (typeof fields.milestoneId === 'string') await checkMilestone(parts, granted, fields.milestoneId);
      const sets = changedSets(before, {
        ...(labelIds !== undefined && { labelIds: await attachedLabels(parts, granted, { labelIds }) }),
        ...(assigneeIds !== undefined && { assigneeIds: await checkAssignees(parts, granted, assigneeIds) }),
      });
      const associated = await changedAssociations(parts, before, { componentIds, fixVersionIds, affectsVersionIds });
      const members = [fields, sets, associated].flatMap((changed) => Object.keys(changed));
      if (members.length > 0) {
        await Promise.all([
          store.update(before.id, { ...fields, updatedAt: call.now }),
          fields.description !== undefined && recordDescription(parts, before, call, fields.description),
        ]);
        if (sets.labelIds !== undefined) await store.replaceLabels(before.id, sets.labelIds);
        if (sets.assigneeIds !== undefined) {
          await store.replaceAssignees(before.id, sets.assigneeIds);
          await store.watch(before.id, sets.assigneeIds);
        }
        await replaceAssociations(parts, before, associated);
        await events.emit({
          type: 'issue.updated',
          ...aboutIssue(before, call, { changed: members.map(nameInEvent) }),
        });
      }
      return detailOf(parts, repository, call.caller, String(before.number));
    });
  };

/** The author alone may not lock or unlock. @throws {Forbidden} */
function checkMayLock(granted: Writing): void {
  if (granted.may('issue.write')) return;
  throw new Forbidden('You may not lock or unlock this issue', { detail: 'It needs the permission "issue.write"' });
}

type Sets = Partial<Pick<HeldIssue, 'labelIds' | 'assigneeIds'>>;

const changedSets = (before: HeldIssue, sets: Sets): Sets =>
  Object.fromEntries(Object.entries(sets).filter(([member, ids]) => !sameMembers(before[member as keyof Sets], ids)));

/** The member's name in the API, because consumers outside the server read events. */
const nameInEvent = (member: string): string =>
  ({ typeId: 'issue_type_id', status: 'issue_status' })[member] ?? apiName(member);

/** The new type must be allowed with the existing parent and children. @throws {ValidationFailed} */
async function checkTypeChange(
  parts: IssueParts,
  repository: Repository,
  { id, parentId }: HeldIssue,
  typeId: string,
): Promise<void> {
  const { store } = parts;
  const type = await allowedType(parts, repository, typeId);
  const parent = parentId === null ? undefined : await store.lineage(repository.id, { id: parentId });
  const refusal = [
    ...(parent === undefined ? [] : [typeRefusal(type, parent.type)]),
    ...(await store.childTypes(id)).map((child) => typeRefusal(child, type)),
  ].find((one) => one !== undefined);
  if (refusal !== undefined)
    throw new ValidationFailed('The type does not go with the parent or the children of the issue', {
      detail: `"issue_type_id": ${refusal}`,
    });
}
