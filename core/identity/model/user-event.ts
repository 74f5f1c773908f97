// Builds events about one user.
import type { EventOf, EventPayloads } from '#core/kernel/storage/events';
import { userAggregate, type identityEvents } from './events.ts';

type UserEvent = Exclude<(typeof identityEvents)[number], `user_group.${string}`>;

/** @param actorId undefined for the system. */
export const userEvent = <T extends UserEvent>(type: T, payload: EventPayloads[T], actorId: string | undefined) =>
  ({
    type,
    aggregate: userAggregate(payload.userId),
    ...(actorId !== undefined && { actorId }),
    payload,
  }) as unknown as Omit<EventOf<T>, 'id' | 'at'>;
