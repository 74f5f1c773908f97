// Live updates: the feed of messages to who follows a thing, and the events after which a follower may have lost
// access.
import type { EventType } from './events.ts';

/** One message to those who follow a thing. */
export interface LiveMessage {
  readonly type: string;
  readonly data: object;
  readonly at: Date;
}

/** Who passes messages on to followers: the server of one process. */
export interface LiveListener {
  /** @param of what is followed on the channel, as its `follow` named it. */
  told(channel: string, of: string, message: LiveMessage): void;
  /** Somebody may have lost access. @param aggregate of the event that says so, such as `repository:UUID`. */
  suspected(aggregate: string): void;
}

/** Brings what the plugins of this process hear to the server, which comes later than they and ends sooner. */
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
 * Says after which events somebody may have lost access to what they follow. Their aggregate is `KIND:ID` of the user
 * or of the thing that access is decided about: whoever follows by that user, or that thing, is decided about again.
 *
 * @example
 *   declareAccessEvents('user.suspended', 'user.deleted');
 */
export function declareAccessEvents(...types: readonly EventType[]): void {
  for (const type of types) declared.add(type);
}

/** All that were declared. */
export const accessEvents = (): readonly EventType[] => [...declared];
