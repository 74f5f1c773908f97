// Domain events: recorded in the unit of work of the change, and delivered after it commits.

/** Open: event type → payload. Payloads are plain JSON. */
export interface EventPayloads {}
/** The name of a type of event, such as `repository.created`. */
export type EventType = keyof EventPayloads & string;

/** Maximum length of an aggregate name in characters. It is part of keys. */
export const longestAggregate = 500;

/** One event as handlers receive it. */
export interface EventOf<T extends EventType = EventType> {
  readonly id: string;
  readonly type: T;
  /**
   * The aggregate of the event, such as `repository:UUID`. Events of one aggregate are delivered in order. At most 500
   * characters.
   */
  readonly aggregate: string;
  /** Undefined for the system. */
  readonly actorId?: string;
  readonly payload: EventPayloads[T];
  readonly at: Date;
}

/** One plugin's handler for a type of event. */
export interface Subscription<T extends EventType = EventType> {
  readonly type: T;
  /** Further types. Their events share one order with those of `type`. */
  readonly also?: readonly T[];
  /** Unique within its plugin. The delivery progress is stored under this name. */
  readonly name: string;
  /**
   * `durable`: in one process, at least once, in order per aggregate; the handler must be idempotent by event id.
   * `broadcast`: in every process, at most once; for caches that can be reloaded.
   */
  readonly delivery: 'durable' | 'broadcast';
  /** With true, no plugin has to emit the type. Otherwise a type that no plugin declares in `emits` is rejected. */
  readonly optional?: boolean;
  /**
   * With true, a new durable subscription first receives the past events of its types that are still stored, in their
   * order for each aggregate: those of the last 7 days, at most the newest 10,000.
   */
  readonly past?: boolean;
  /** @param signal aborted when the attempt exceeds its time limit and counts as failed. Always passed by the host. */
  handle(event: EventOf<T>, signal?: AbortSignal): Promise<void>;
}

/** All types of a subscription, each once. */
export const typesOf = ({ type, also = [] }: Pick<Subscription, 'type' | 'also'>): readonly EventType[] => [
  ...new Set([type, ...also]),
];

/** An event of one of these types; its `type` decides which payload it has. */
export type EventAmong<T extends EventType> = { readonly [K in T]: EventOf<K> }[T];

/**
 * Builds a subscription whose handler receives the payload of its type. With a list of types, one handler receives the
 * events of all of them, in the order of their commits for one aggregate; `type` distinguishes the payloads.
 *
 * @example
 *   events: ({ bells }) => [
 *     on('repository.deleted', {
 *       name: 'clear',
 *       delivery: 'durable',
 *       handle: ({ payload }) => bells.clear(payload.repository_id),
 *     }),
 *     on(['issue.created', 'issue.closed'], {
 *       name: 'count',
 *       delivery: 'durable',
 *       handle: ({ payload }) => bells.clear(payload.repository_id),
 *     }),
 *   ],
 */
export function on<const T extends EventType>(
  types: T | readonly [T, ...T[]],
  subscription: Omit<Subscription<T>, 'type' | 'also' | 'handle'> & {
    handle(event: EventAmong<T>, signal: AbortSignal): Promise<void>;
  },
): Subscription {
  const [type, ...also] = [types].flat();
  return { ...subscription, type, ...(also.length > 0 && { also }) } as unknown as Subscription;
}
