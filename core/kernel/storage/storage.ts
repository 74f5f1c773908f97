// The storage port: one database, opened by the host for all plugins, and the ports it provides.
import type { Subscription } from './events.ts';
import type { PendingEvents } from './pending-events.ts';
import type { Events, Intents, Locks, UnitOfWork } from './unit-of-work.ts';

/** A subscription, and the plugin that owns it. */
export interface OwnedSubscription {
  readonly plugin: string;
  /** Its handler has a time limit, so its promise always settles. */
  readonly subscription: Subscription;
}

/**
 * Limits for undelivered events of a durable subscription while no process runs its plugin. The oldest are discarded.
 */
export const keptWhileOff = { events: 100_000, days: 90 } as const;

/**
 * The past events of a new subscription: the newest ones of so many days, which every database keeps. Queuing them
 * pauses the delivery of new events, so they are few.
 */
export const pastEvents = { events: 10_000, days: 7 } as const;

/** The log message for a new dead letter. */
export const parkedMessage =
  'an event was parked: its handler failed too often; `hexforge plugins parked` lists all of them';

/** Cleans an error message so that every database can store it: at most 500 characters, well-formed, without NUL. */
export const keptError = (message: string): string => message.slice(0, 500).toWellFormed().replaceAll('\0', ' ');

/** A dead letter: an event whose handler failed too often. Kept until an operator replays or drops it. */
export interface ParkedEvent {
  readonly plugin: string;
  readonly subscription: string;
  /** The event id. */
  readonly event: string;
  readonly type: string;
  readonly aggregate: string;
  readonly attempts: number;
  readonly parkedAt: Date;
  /** The error of the last attempt. */
  readonly error: string;
}

/** The state of a durable subscription that the storage remembers. */
export interface SubscriptionState {
  readonly plugin: string;
  readonly subscription: string;
  readonly type: string;
  readonly waiting: number;
  readonly parked: number;
  /** Events that were discarded while the plugin was disabled. */
  readonly missed: number;
}

/** Pending events and dead letters of durable handlers, for operators. */
export interface Deliveries {
  /** All remembered subscriptions, and forgotten ones that still have dead letters. */
  subscriptions(): Promise<readonly SubscriptionState[]>;
  /** Plugin → number of dead letters, for plugins that have any. Cheap enough for readiness probes. */
  parkedCounts(): Promise<ReadonlyMap<string, number>>;
  /** Dead letters, oldest first. */
  parked(limit: number): Promise<readonly ParkedEvent[]>;
  /**
   * Queues dead letters for delivery again, with their attempts reset. Dead letters of a subscription that is no longer
   * remembered are left unchanged, because they would have no handler.
   * @param event the id of one event; default: all events of the plugin.
   * @returns the number of queued events.
   */
  replay(plugin: string, event?: string): Promise<number>;
  /**
   * Deletes dead letters. Without an event id, also resets the plugin's count of missed events.
   * @param event the id of one event; default: all events of the plugin.
   * @returns the number of deleted events.
   */
  drop(plugin: string, event?: string): Promise<number>;
}

/** An open database, with the ports it provides. */
export interface Storage {
  readonly engine: 'memory' | 'embedded' | 'postgresql';
  readonly unitOfWork: UnitOfWork;
  readonly events: Events;
  readonly intents: Intents;
  readonly locks: Locks;
  /**
   * Whether this process is the leader, which runs jobs that may run once only. Call it each time: another process
   * becomes leader when the current one ends. @throws {Unavailable} if this cannot be determined.
   */
  leads(): Promise<boolean>;
  readonly deliveries: Deliveries;
  readonly pendingEvents: PendingEvents;
  /**
   * Starts delivering events: those not yet delivered and those committed later. Durable subscriptions are remembered
   * from this call onwards, and their events are kept while no process serves them (`keptWhileOff`).
   * @param plugins plugins whose subscriptions are all in the list: other remembered subscriptions of theirs are
   * forgotten. Default: the plugins named in the list.
   */
  deliver(subscriptions: readonly OwnedSubscription[], plugins?: readonly string[]): Promise<void>;
  /**
   * Resolves when every event committed so far was delivered once to every durable handler. For tests and for a clean
   * stop.
   */
  drained(): Promise<void>;
  /**
   * Stops delivery, before the ports that handlers use are stopped: hands out no more events and waits a short time for
   * running handlers. Events committed later are kept.
   */
  endDelivery(): Promise<void>;
  /** Rejects if the database does not answer. @returns a description of a problem if it answers but is unhealthy. */
  check(): Promise<string | undefined>;
  /** Stops delivery if it is running, and closes the database. */
  close(): Promise<void>;
}
