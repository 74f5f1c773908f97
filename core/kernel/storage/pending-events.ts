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

/** The port of undelivered events. */
export interface PendingEvents {
  /**
   * The committed events of these aggregates that the handler has not handled yet, oldest first, at most `limit`.
   * Includes those that it handles now or will be called with again, but no dead letters. One query.
   */
  of<T extends EventType>(
    handler: HandlerOf<T>,
    aggregates: readonly string[],
    limit: number,
  ): Promise<readonly EventAmong<T>[]>;
}

declare module '../ports.ts' {
  interface Ports {
    PendingEvents: PendingEvents;
  }
}

declarePort('PendingEvents', { arity: 'single', component: 'undelivered events', critical: true, absent: 'refuse' });
