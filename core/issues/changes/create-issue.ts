// Creates an issue. Allowed to signed-in users who may read the repository.
import { ValidationFailed } from '#core/kernel/errors';
import { attachedLabels, checkMilestone, type LabelsWanted } from '#core/planning/index';
import { replaceAssociations, type AssociationIds } from '../model/associations.ts';
import { aboutIssue } from '../model/events.ts';
import { detailOf } from './fetch-issue.ts';
import { checkedFields, type IssueFields } from '../model/fields.ts';
import { parentRefusal } from '../model/hierarchy.ts';
import { issueDefaults, type Issue, type IssueDetail, type IssueView } from '../model/issue.ts';
import type { IssueType } from '../model/issue-type.ts';
import type { IssueParts } from '../model/parts.ts';
import { checkAssignees, type Writing } from '../model/held-issue.ts';
import { allowedType } from '../catalogue/type-scheme.ts';

export interface CreateCommand extends IssueFields, LabelsWanted, AssociationIds {
  readonly title: string;
  readonly typeId: string;
  readonly assigneeIds?: readonly string[] | undefined;
  readonly parentId?: string | null | undefined;
}

/** @throws {ValidationFailed | Forbidden | Unprocessable} */
export const createIssue =
  (parts: IssueParts) =>
  async (
    granted: Writing,
    {
      labelIds,
      inlineLabels,
      assigneeIds = [],
      parentId = null,
      componentIds,
      fixVersionIds,
      affectsVersionIds,
      ...given
    }: CreateCommand,
  ): Promise<IssueView & IssueDetail> => {
    const { store, unitOfWork, events, ids } = parts;
    const { resource: repository, call } = granted;
    const fields = checkedFields(given);
    return unitOfWork.run(async () => {
      const type = await allowedType(parts, repository, fields.typeId);
      const assignees = await checkAssignees(parts, granted, assigneeIds);
      const issue: Issue = {
        ...issueDefaults,
        ...fields,
        id: ids.uuid(),
        repositoryId: repository.id,
        // From this statement until the unit of work ends, no other issue of the repository can be created or get
        // another parent.
        number: await store.nextNumber(repository.id),
        authorId: call.caller.id,
        state: 'open',
        closedAt: null,
        createdAt: call.now,
        updatedAt: call.now,
        parentId,
      };
      // `nextNumber` has locked the repository against deletion. Labels and milestones are locked only after it.
      if (typeof fields.milestoneId === 'string') await checkMilestone(parts, granted, fields.milestoneId);
      if (parentId !== null) await checkParent(parts, repository.id, parentId, type);
      await store.insert(issue);
      if (assignees.length > 0) await store.replaceAssignees(issue.id, assignees);
      const labels = await attachedLabels(parts, granted, { labelIds, inlineLabels });
      if (labels.length > 0) await store.replaceLabels(issue.id, labels);
      await replaceAssociations(parts, issue, { componentIds, fixVersionIds, affectsVersionIds });
      await store.watch(issue.id, [call.caller.id, ...assignees]);
      await events.emit({ type: 'issue.created', ...aboutIssue(issue, call) });
      return detailOf(parts, repository, call.caller, String(issue.number));
    });
  };

/** A parent that is not allowed is rejected with 400. @throws {ValidationFailed} */
async function checkParent(
  { store }: Pick<IssueParts, 'store'>,
  repositoryId: string,
  parentId: string,
  type: IssueType,
): Promise<void> {
  const parent = await store.lineage(repositoryId, { id: parentId });
  const refusal =
    parent === undefined ? 'The repository has no such issue' : parentRefusal({ type, height: 1 }, parent);
  if (refusal !== undefined)
    throw new ValidationFailed('The parent is not allowed', { detail: `"parent_id": ${refusal}` });
}
