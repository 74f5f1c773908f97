// Stops keeping the objects that merge requests copied from other repositories: those of closed requests are pruned
// later, those of merged requests belong to the target.
import type { EventOf } from '#core/kernel/storage/events';
import { isFromFork, isLetGo } from '../model/merge-request.ts';
import type { MergeParts } from '../model/parts.ts';
import { withHead } from './heads.ts';

export const letGoUseCases = ({ store, heads, locks }: Pick<MergeParts, 'store' | 'heads' | 'locks'>) => ({
  /** Depends only on the current state, so handling an event again changes nothing. A reopened request is kept. */
  ended: ({ payload }: EventOf<'merge.closed' | 'merge.merged'>, signal: AbortSignal): Promise<void> =>
    withHead({ locks }, { id: payload.merge_request_id }, signal, async () => {
      const request = await store.find(payload.repository_id, payload.number);
      if (request === undefined || !isFromFork(request)) return;
      const { repositoryId, number, id } = request;
      if (isLetGo(request)) await heads.letGo(repositoryId, number, id);
      else if (request.state === 'merged') await heads.takeOver(id);
    }),
});
