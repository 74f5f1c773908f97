// Records that merge requests no longer follow their sources.
import type { EventOf } from '#core/kernel/storage/events';
import { aboutMerge } from '../model/events.ts';
import type { MergeRequest } from '../model/merge-request.ts';
import type { MergeParts } from '../model/parts.ts';
import type { FromOthers } from '../model/ports.ts';
import { sourceLossesNow, sourceLossNow, pusherOf, type SourceLoss } from '../model/source-access.ts';

/** Runs inside a unit of work that locks the request: records that it no longer follows its source. */
export async function recordLoss(
  { store, events, clock }: Pick<MergeParts, 'store' | 'events' | 'clock'>,
  held: MergeRequest,
  sourceLoss: SourceLoss,
): Promise<MergeRequest> {
  if (held.sourceLoss !== null) return held;
  const patch = { sourceLoss, updatedAt: clock.now() };
  await store.update(held.id, patch);
  const lost = { ...held, ...patch };
  await events.emit({ type: 'merge.updated', ...aboutMerge(lost, undefined, { changed: ['source_access_lost'] }) });
  return lost;
}

/** Records the loss of an open request that has one now. @returns the request after the change. */
export const loseSource = (
  parts: Pick<MergeParts, 'repositories' | 'store' | 'events' | 'clock' | 'unitOfWork'>,
  request: MergeRequest,
): Promise<MergeRequest> =>
  parts.unitOfWork.run(async () => {
    const held = await parts.store.held(request.repositoryId, request.number);
    if (held?.state !== 'open') return held ?? request;
    const loss = await sourceLossNow(parts, held);
    return loss === undefined ? held : recordLoss(parts, held, loss);
  });

/** How many requests are read and checked at a time. */
const piece = 200;

/**
 * Records the losses that follow from a change of access or visibility, so that they stay when access is given back.
 * Handling an event again changes nothing.
 */
export const accessUseCases = (
  parts: Pick<MergeParts, 'repositories' | 'store' | 'events' | 'clock' | 'unitOfWork'>,
) => {
  const check = async (of: FromOthers, concerns: (request: MergeRequest) => boolean = () => true): Promise<void> => {
    for (let after: string | undefined; ;) {
      const requests = await parts.store.openFromOthers(of, after, piece);
      const losses = await sourceLossesNow(parts, requests.filter(concerns));
      for (const request of requests) if (losses.has(request.id)) await loseSource(parts, request);
      if (requests.length < piece) return;
      after = requests.at(-1)?.id;
    }
  };
  return {
    collaboratorChanged: ({ payload }: EventOf<'collaborator.removed' | 'collaborator.updated'>): Promise<void> =>
      check({ sourceRepositoryId: payload.repository_id }, (request) => pusherOf(request) === payload.user_id),
    userSuspended: ({ payload: { userId } }: EventOf<'user.suspended'>): Promise<void> => check({ userId }),
    async userUpdated({ payload: { userId, fields } }: EventOf<'user.updated'>): Promise<void> {
      if (fields.includes('is_admin')) await check({ userId });
    },
    async visibilityChanged({ payload: { repository_id: id } }: EventOf<'repository.visibility_changed'>) {
      await check({ sourceRepositoryId: id });
      await check({ repositoryId: id });
    },
  };
};
