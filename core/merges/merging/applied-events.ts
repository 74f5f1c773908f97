// Remembers in this process which events were applied to which merge requests, so that reads and the handler of an
// event do its work once.
import { Lru } from '#core/kernel/limits/lru';
import type { MergeRequest } from '../model/merge-request.ts';

/** The most pairs of an event and a request that are remembered. */
const most = 100_000;

type Of = Pick<MergeRequest, 'id'>;
type Event = { readonly id: string };

/** `applied`: nothing is left to do. `left`: a read had no time to apply it, so the handler of the event does. */
export type EventState = 'applied' | 'left';

export interface AppliedEvents {
  of(request: Of, event: Event): EventState | undefined;
  record(request: Of, event: Event, state: EventState): void;
}

export function appliedEvents(): AppliedEvents {
  const known = new Lru<EventState>(most);
  const key = (request: Of, event: Event): string => `${event.id} ${request.id}`;
  return {
    of: (request, event) => known.get(key(request, event)),
    record: (request, event, state) => known.set(key(request, event), state),
  };
}
