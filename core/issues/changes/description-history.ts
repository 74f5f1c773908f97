// The history of an issue's description, with one entry per change. Administrators of the repository and of the
// instance may delete entries.
import type { Granted } from '#core/kernel/access/access';
import { auditEntry } from '#core/kernel/services/audit';
import type { User } from '#core/kernel/caller';
import { fitMembers } from '#core/kernel/clipping';
import { found } from '#core/kernel/errors';
import type { PageRequest } from '#core/kernel/page';
import type { Repository } from '#core/repositories/index';
import type { DescriptionEditView } from '../model/description-edit.ts';
import { aboutIssue } from '../model/events.ts';
import { heldIssue, knownIssue, type Reading, type Writing } from '../model/held-issue.ts';
import type { IssueParts } from '../model/parts.ts';
import type { HeldIssue } from '../model/ports.ts';

/** Runs inside the unit of work that changes the description. */
export async function recordDescription(
  { edits, ids }: Pick<IssueParts, 'edits' | 'ids'>,
  { id: issueId, description: bodyBefore }: HeldIssue,
  { caller, now }: Writing['call'],
  bodyAfter: string,
): Promise<void> {
  await edits.insert({ id: ids.uuid(), issueId, bodyBefore, bodyAfter, editedBy: caller.id, editedAt: now });
}

type Parts = Pick<IssueParts, 'store' | 'edits' | 'users' | 'unitOfWork' | 'events' | 'audit'>;

export function descriptionHistoryUseCases(parts: Parts) {
  const { edits, users, unitOfWork, events, audit } = parts;
  return {
    /** The newest first. @throws {NotFound} */
    async list(
      { resource }: Reading,
      { number, page }: { readonly number: string; readonly page: PageRequest },
    ): Promise<readonly DescriptionEditView[]> {
      const { id: issueId } = await knownIssue(parts, resource, number);
      const newest = [{ desc: 'editedAt' }, { desc: 'id' }] as const;
      const { items } = await edits.page({ where: { issueId }, orderBy: newest }, page);
      const editors = await users.byIds(items.map(({ editedBy }) => editedBy));
      const whole = items.map((edit) => ({ ...edit, editor: found(editors.get(edit.editedBy)) }));
      return fitMembers(whole, ['bodyBefore', 'bodyAfter']);
    },

    /** @throws {NotFound} */
    async fetch(
      { resource }: Reading,
      { number, id }: { readonly number: string; readonly id: string },
    ): Promise<DescriptionEditView> {
      const { id: issueId } = await knownIssue(parts, resource, number);
      const edit = found(await edits.findOne({ id, issueId }), 'There is no such entry');
      return { ...edit, editor: found((await users.byIds([edit.editedBy])).get(edit.editedBy)) };
    },

    /** @throws {NotFound} */
    delete: (
      granted: Granted<Repository, 'repo.admin', User>,
      { number, id }: { readonly number: string; readonly id: string },
    ): Promise<void> =>
      unitOfWork.run(async () => {
        const issue = await heldIssue(parts, granted, number);
        const edit = found(await edits.delete({ id, issueId: issue.id }), 'There is no such entry');
        const about = aboutIssue(issue, granted.call, { edit_id: id });
        const type = 'issue.description_edit_deleted';
        await events.emit({ type, ...about });
        const details = { ...about.payload, edited_by: edit.editedBy, edited_at: edit.editedAt.toISOString() };
        await audit.append(auditEntry(granted.call, type, about.aggregate, details));
      }),
  };
}
