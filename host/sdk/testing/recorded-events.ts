// Records the events of a test host that committed units of work emitted.
import { AsyncLocalStorage } from 'node:async_hooks';
import type { EventOf, EventType } from '#core/kernel/storage/events';
import type { Clock } from '#core/kernel/time';
import type { OpenStorage } from '#host/storage/storage';

/** Wraps the storage so that every committed event is recorded, in the order of the commits. */
export function recordingEvents(
  storage: OpenStorage,
  clock: Clock,
): { readonly storage: OpenStorage; readonly events: readonly EventOf[] } {
  const events: EventOf[] = [];
  const emitted = new AsyncLocalStorage<EventOf[]>();
  const { unitOfWork, events: outbox } = storage;
  const recording = {
    ...storage,
    unitOfWork: {
      get active() {
        return unitOfWork.active;
      },
      async run<T>(work: () => Promise<T>): Promise<T> {
        let mine: EventOf[] = [];
        // A retried unit of work starts with an empty list, because its earlier attempts emitted nothing.
        const result = await unitOfWork.run(() => emitted.run((mine = []), work));
        events.push(...mine);
        return result;
      },
    },
    events: {
      async emit<T extends EventType>(event: Omit<EventOf<T>, 'id' | 'at'>): Promise<string> {
        const id = await outbox.emit<T>(event);
        const kept = { ...event, payload: structuredClone(event.payload), id, at: clock.now() };
        emitted.getStore()?.push(kept as unknown as EventOf);
        return id;
      },
    },
  };
  return { storage: recording, events };
}
