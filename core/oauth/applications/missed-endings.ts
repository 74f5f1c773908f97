// Handlers of events that the authorization server also receives for the time in which its plugin was disabled. They
// end the grants that existed when an account was suspended or its credentials were revoked; later grants remain.
import type { EventOf } from '#core/kernel/storage/events';
import type { OAuthParts } from '../model/parts.ts';
import { deleteGrantsOfOwner } from './owner-suspension.ts';

export const missedEndings = ({
  clients,
  grants,
  unitOfWork,
}: Pick<OAuthParts, 'clients' | 'grants' | 'unitOfWork'>) => ({
  credentialsRevoked: ({ at, payload: { userId } }: EventOf<'user.credentials_revoked'>): Promise<void> =>
    unitOfWork.run(() => grants.deleteMany({ where: { userId }, ranges: { createdAt: { '<=': at } } })),
  ownerSuspended: ({ at, payload: { userId } }: EventOf<'user.suspended'>): Promise<void> =>
    unitOfWork.run(async () => void (await deleteGrantsOfOwner({ clients, grants }, userId, at))),
});
