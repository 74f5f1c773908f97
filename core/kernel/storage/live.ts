// Live updates: passes messages to followers of a resource, and declares the events after which a follower may have
// lost access.
import type { EventType } from './events.ts';

/** One message to the followers of a resource. */
export interface LiveMessage {
  readonly type: string;
  readonly data: object;
  readonly at: Date;
}

/** Passes messages on to followers. Implemented by the server of one process. */
export interface LiveListener {
  /** @param of the followed resource of the channel, as the channel's `follow` named it. */
  told(channel: string, of: string, message: LiveMessage): void;
  /** A user may have lost access. @param aggregate the aggregate of the event, such as `repository:UUID`. */
  suspected(aggregate: string): void;
}

/** Passes messages from plugins to the server, which starts after the plugins and stops before them. */
export class LiveFeed implements LiveListener {
  #listener: LiveListener | undefined;

  connect(listener: LiveListener): void {
    this.#listener = listener;
  }

  told(channel: string, of: string, message: LiveMessage): void {
    this.#listener?.told(channel, of, message);
  }

  suspected(aggregate: string): void {
    this.#listener?.suspected(aggregate);
  }
}

const declared = new Set<EventType>();

/**
 * Declares the events after which a user may have lost access to a followed resource. Their aggregate is `KIND:ID` of
 * the user, or of the resource that access depends on: access is rechecked for every follower with that user or
 * resource.
 *
 * @example
 *   declareAccessEvents('user.suspended', 'user.deleted');
 */
export function declareAccessEvents(...types: readonly EventType[]): void {
  for (const type of types) declared.add(type);
}

/** All event types declared so far. */
export const accessEvents = (): readonly EventType[] => [...declared];
