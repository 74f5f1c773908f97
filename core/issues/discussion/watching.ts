// Watches and unwatches an issue for the caller. Allowed to signed-in users who may read it. Does nothing if the state
// is already as requested.
import { aboutIssue } from '../model/events.ts';
import { heldIssue, type Writing } from '../model/held-issue.ts';
import type { IssueParts } from '../model/parts.ts';

const events = { true: 'issue.watched', false: 'issue.unwatched' } as const;

/** @throws {NotFound} */
const setWatching =
  (watching: boolean) =>
  (parts: Pick<IssueParts, 'store' | 'unitOfWork' | 'events'>) =>
  (granted: Writing, { number }: { readonly number: string }): Promise<void> =>
    parts.unitOfWork.run(async () => {
      const { store } = parts;
      const { call } = granted;
      const issue = await heldIssue(parts, granted, number);
      if ((await store.watching(issue.id, call.caller.id)).watching === watching) return;
      await (watching ? store.watch(issue.id, [call.caller.id]) : store.unwatch(issue.id, call.caller.id));
      await parts.events.emit({ type: events[`${watching}`], ...aboutIssue(issue, call, { user_id: call.caller.id }) });
    });

export const watchIssue = setWatching(true);
export const unwatchIssue = setWatching(false);
