// Domain events: what happened, recorded with the change itself and delivered after it.

/** Open: event type → payload. Payloads are plain JSON. */
export interface EventPayloads {}
/** The name of a type of event, such as `repository.created`. */
export type EventType = keyof EventPayloads & string;

/** Characters that an aggregate may have: it is part of keys. */
export const longestAggregate = 500;

/** One event as handlers receive it. */
export interface EventOf<T extends EventType = EventType> {
  readonly id: string;
  readonly type: T;
  /**
   * What it happened to, such as `repository:UUID`; events of one aggregate are delivered in order. At most 500
   * characters.
   */
  readonly aggregate: string;
  /** Undefined for the system itself. */
  readonly actorId?: string;
  readonly payload: EventPayloads[T];
  readonly at: Date;
}

/** How a plugin listens. */
export interface Subscription<T extends EventType = EventType> {
  readonly type: T;
  /** Unique within its plugin; progress is kept under it. */
  readonly name: string;
  /**
   * `durable`: on one process, at least once, in order per aggregate; the handler must be idempotent by event id.
   * `broadcast`: on every process, may be lost; for caches that can re-read the truth.
   */
  readonly delivery: 'durable' | 'broadcast';
  /** No plugin has to emit it. Without this a type that no plugin declares in its `emits` is refused. */
  readonly optional?: boolean;
  /** @param signal aborted when the attempt has taken its time: it counts as failed then. The host gives one. */
  handle(event: EventOf<T>, signal?: AbortSignal): Promise<void>;
}

/**
 * Builds a subscription whose handler sees the payload of its type.
 *
 * @example
 *   events: ({ bells }) => [
 *     on('repository.deleted', {
 *       name: 'clear',
 *       delivery: 'durable',
 *       handle: ({ payload }) => bells.clear(payload.repository_id),
 *     }),
 *   ],
 */
export function on<T extends EventType>(
  type: T,
  subscription: Omit<Subscription<T>, 'type' | 'handle'> & {
    handle(event: EventOf<T>, signal: AbortSignal): Promise<void>;
  },
): Subscription {
  return { ...subscription, type } as unknown as Subscription;
}
