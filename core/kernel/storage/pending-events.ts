// The port that reads which events a durable handler has not handled yet, for answers that must include what was
// committed before them.
import { declarePort } from '../ports.ts';
import type { EventAmong, EventType } from './events.ts';

/** A durable subscription and its types of events. */
export interface HandlerOf<T extends EventType> {
  readonly plugin: string;
  /** The name of the subscription. */
  readonly subscription: string;
  readonly types: readonly T[];
}

/** Which events about refs are read: those with a `ref` in their payload. Other events always are. */
export interface RefFilter {
  /** Events of these refs, which are read before all others. */
  readonly refs: readonly string[];
  /** Events of the refs whose name begins with this are read too. */
  readonly under?: string;
}

/** The most undelivered events of one aggregate that are searched. */
export const mostSearched = 10_000;

/** The port of undelivered events. */
export interface PendingEvents {
  /**
   * The committed events of these aggregates that the handler has not handled yet, oldest first. Includes those that
   * it handles now or will be called with again, but no dead letters. One query. If there are more than `limit`, the
   * newest are returned; of one aggregate the newest `mostSearched` are searched.
   */
  of<T extends EventType>(
    handler: HandlerOf<T>,
    aggregates: readonly string[],
    limit: number,
    refs?: RefFilter,
  ): Promise<readonly EventAmong<T>[]>;
}

declare module '../ports.ts' {
  interface Ports {
    PendingEvents: PendingEvents;
  }
}

declarePort('PendingEvents', { arity: 'single', component: 'undelivered events', critical: true, absent: 'refuse' });
