// Closes and reopens an issue. Allowed to the author and to holders of issue.write. Does nothing if the issue is
// already in that state.
import { checkAuthorOr } from '#core/repositories/index';
import { aboutIssue } from '../model/events.ts';
import { heldIssue, type Writing } from '../model/held-issue.ts';
import type { IssueState } from '../model/issue.ts';
import type { IssueParts } from '../model/parts.ts';

const events = { open: 'issue.reopened', closed: 'issue.closed' } as const;

/** @throws {NotFound | Forbidden | ValidationFailed} */
const moveTo =
  (state: IssueState) =>
  (parts: Pick<IssueParts, 'store' | 'unitOfWork' | 'events'>) =>
  (granted: Writing, { number }: { readonly number: string }): Promise<void> =>
    parts.unitOfWork.run(async () => {
      const { call } = granted;
      const issue = await heldIssue(parts, granted, number);
      checkAuthorOr(granted, issue, { what: 'issue', permission: 'issue.write' });
      if (issue.state === state) return;
      const closedAt = state === 'closed' ? call.now : null;
      await parts.store.update(issue.id, { state, closedAt, updatedAt: call.now });
      await parts.events.emit({ type: events[state], ...aboutIssue(issue, call) });
    });

export const closeIssue = moveTo('closed');
export const reopenIssue = moveTo('open');
