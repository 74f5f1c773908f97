// The storage port: a database of one kind, opened once by the host for all plugins, with the ports it provides.
import type { Subscription } from './events.ts';
import type { Events, Intents, Locks, UnitOfWork } from './unit-of-work.ts';

/** A subscription, and whose it is. */
export interface OwnedSubscription {
  readonly plugin: string;
  /** Its handler has a limit in time: it settles. */
  readonly subscription: Subscription;
}

/** How much is kept for a durable subscription while no process runs its plugin; the oldest falls out. */
export const keptWhileOff = { events: 100_000, days: 90 } as const;

/** What the log says when it happens. */
export const parkedMessage =
  'an event was parked: its handler failed too often; `hexforge plugins parked` lists all of them';

/** What is kept of the error a handler failed with: of any text what every database holds. */
export const keptError = (message: string): string => message.slice(0, 500).toWellFormed().replaceAll('\0', ' ');

/** An event that a handler has failed at too often: kept until a person replays or drops it. */
export interface ParkedEvent {
  readonly plugin: string;
  readonly subscription: string;
  /** Its id. */
  readonly event: string;
  readonly type: string;
  readonly aggregate: string;
  readonly attempts: number;
  readonly parkedAt: Date;
  /** What the last attempt failed with. */
  readonly error: string;
}

/** How a durable subscription stands that the storage remembers. */
export interface SubscriptionState {
  readonly plugin: string;
  readonly subscription: string;
  readonly type: string;
  readonly waiting: number;
  readonly parked: number;
  /** Events that fell out while the plugin was off. */
  readonly missed: number;
}

/** What waits for durable handlers and what they failed at, for who operates the forge. */
export interface Deliveries {
  /** Of every remembered subscription, and of those that are forgotten but have parked events. */
  subscriptions(): Promise<readonly SubscriptionState[]>;
  /** Plugin → parked events, where there are any. Cheap: asked by readiness probes. */
  parkedCounts(): Promise<ReadonlyMap<string, number>>;
  /** The oldest first. */
  parked(limit: number): Promise<readonly ParkedEvent[]>;
  /**
   * Puts parked events back among those to be delivered, with all attempts before them. Those of a subscription that is
   * no longer remembered stay where they are: nobody would receive them.
   * @param event the id of one; default: all of the plugin.
   * @returns how many.
   */
  replay(plugin: string, event?: string): Promise<number>;
  /**
   * Gives parked events up; all of a plugin with the count of those it missed.
   * @param event the id of one; default: all of the plugin.
   * @returns how many.
   */
  drop(plugin: string, event?: string): Promise<number>;
}

/** A database that is open, with the ports it provides. */
export interface Storage {
  readonly engine: 'memory' | 'embedded' | 'postgresql';
  readonly unitOfWork: UnitOfWork;
  readonly events: Events;
  readonly intents: Intents;
  readonly locks: Locks;
  /**
   * Whether this process is the one of many that does what one has to do, such as jobs. To be asked each time: another
   * takes the lead where it has ended. @throws {Unavailable} where that cannot be told.
   */
  leads(): Promise<boolean>;
  readonly deliveries: Deliveries;
  /**
   * Begins delivering events: what is committed from now on and what was not delivered before. Durable subscriptions
   * are remembered from here on, and what is committed while nobody serves them is kept (`keptWhileOff`).
   * @param plugins those whose subscriptions are all among these: what else is remembered of them is forgotten.
   * Default: the plugins named.
   */
  deliver(subscriptions: readonly OwnedSubscription[], plugins?: readonly string[]): Promise<void>;
  /**
   * Resolves when every event committed so far was delivered to every durable handler once. For tests and for a clean
   * stop.
   */
  drained(): Promise<void>;
  /**
   * Ends delivery, before what handlers use is stopped: hands out nothing more and waits a moment for those at work.
   * What is committed from here on is kept.
   */
  endDelivery(): Promise<void>;
  /** Rejects where the database does not answer. @returns what is wrong with one that answers. */
  check(): Promise<string | undefined>;
  /** Ends delivery where that has not happened, and closes. */
  close(): Promise<void>;
}
