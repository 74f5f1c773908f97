// Sets and clears the parent of an issue. Allowed to the author, the owner of the repository and instance
// administrators.
import { found, Unprocessable } from '#core/kernel/errors';
import { checkAuthorOr } from '#core/repositories/index';
import { aboutIssue } from '../model/events.ts';
import { heldIssue, type Writing } from '../model/held-issue.ts';
import { parentRefusal } from '../model/hierarchy.ts';
import type { IssueParts } from '../model/parts.ts';
import type { HeldIssue } from '../model/ports.ts';

type Parts = Pick<IssueParts, 'store' | 'unitOfWork' | 'events' | 'types'>;

/** @throws {NotFound | Forbidden | Unprocessable | ValidationFailed} */
export const setParent =
  (parts: Parts) =>
  (
    granted: Writing,
    { number, parentNumber }: { readonly number: string; readonly parentNumber: number },
  ): Promise<void> =>
    move(parts, granted, number, async (issue) => {
      const { store, types } = parts;
      const parent = found(
        await store.lineage(issue.repositoryId, { number: parentNumber }),
        'There is no such parent',
      );
      const type = found(await types.findOne({ id: issue.typeId }));
      const refusal = parentRefusal({ id: issue.id, type, height: await store.height(issue.id) }, parent);
      if (refusal !== undefined) throw new Unprocessable('The parent is not allowed', { detail: refusal });
      return parent.id;
    });

/** @throws {NotFound | Forbidden | ValidationFailed} */
export const clearParent =
  (parts: Parts) =>
  (granted: Writing, { number }: { readonly number: string }): Promise<void> =>
    move(parts, granted, number, async () => null);

/** Prevents concurrent changes of parents in the repository, so that two moves cannot create a cycle. */
const move = (
  { store, unitOfWork, events }: Parts,
  granted: Writing,
  number: string,
  choose: (issue: HeldIssue) => Promise<string | null>,
): Promise<void> =>
  unitOfWork.run(async () => {
    const { resource, call } = granted;
    await store.holdHierarchy(resource.id);
    const issue = await heldIssue({ store }, granted, number);
    checkAuthorOr(granted, issue, { what: 'issue', permission: 'repo.own' });
    const parentId = await choose(issue);
    if (parentId === issue.parentId) return;
    await store.update(issue.id, { parentId, updatedAt: call.now });
    await events.emit({ type: 'issue.parent_changed', ...aboutIssue(issue, call, { parent_id: parentId }) });
  });
