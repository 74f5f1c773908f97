// The storage port: a database of one kind, opened once by the host for all plugins, with the ports it provides.
import type { Subscription } from './events.ts';
import type { Events, Intents, Locks, UnitOfWork } from './unit-of-work.ts';

export interface OwnedSubscription {
  readonly plugin: string;
  readonly subscription: Subscription;
}

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
  /** Begins delivering events: what is committed from now on and what was not delivered before. */
  deliver(subscriptions: readonly OwnedSubscription[]): Promise<void>;
  /**
   * Resolves when every event committed so far was delivered to every durable handler once. For tests and for a clean
   * stop.
   */
  drained(): Promise<void>;
  /** Rejects where the database does not answer. @returns what is wrong with one that answers. */
  check(): Promise<string | undefined>;
  /** Ends delivery, waits for what runs, closes. */
  close(): Promise<void>;
}
