// Deletes an issue. Allowed to the owner of the repository and to instance administrators. The issue number is never
// reused.
import type { Granted } from '#core/kernel/access/access';
import type { User } from '#core/kernel/caller';
import type { Repository } from '#core/repositories/index';
import { aboutIssue } from '../model/events.ts';
import { heldIssue } from '../model/held-issue.ts';
import type { IssueParts } from '../model/parts.ts';

/** @throws {NotFound} */
export const deleteIssue =
  (parts: Pick<IssueParts, 'store' | 'unitOfWork' | 'events'>) =>
  ({ resource, call }: Granted<Repository, 'repo.own', User>, { number }: { readonly number: string }): Promise<void> =>
    parts.unitOfWork.run(async () => {
      await parts.store.holdHierarchy(resource.id);
      const issue = await heldIssue(parts, { resource }, number);
      await parts.store.delete(issue.id);
      await parts.events.emit({ type: 'issue.deleted', ...aboutIssue(issue, call) });
    });
