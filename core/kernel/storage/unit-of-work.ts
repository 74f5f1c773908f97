// The ports of the unit of work (the database transaction of a command), events, locks, and intents for changes outside
// the database.
import type { EventOf, EventType } from './events.ts';
import { declarePort } from '../ports.ts';

/** The port of the database transaction of a command. */
export interface UnitOfWork {
  /**
   * Runs `work` in one transaction that every store of every plugin joins through the asynchronous context. It is
   * committed and on disk when the promise resolves, and rolled back completely when it rejects. If the database aborts
   * it because of a deadlock, `work` runs again from the start, so its effects outside the stores must be repeatable.
   * @throws {Error} if a unit of work is already open in this context: they do not nest.
   */
  run<T>(work: () => Promise<T>): Promise<T>;
  /** Whether a unit of work is open in this context. Network and git calls are not allowed while it is. */
  readonly active: boolean;
}

/** A change outside the database (refs, repository directories, blobs) that was announced and is not concluded yet. */
export interface Intent<D = unknown> {
  readonly id: string;
  /** The reconciler that is responsible, such as `repositories.push`. */
  readonly kind: string;
  /** The changed resource, such as a repository id. Intents of one subject are reconciled in order. */
  readonly subject: string;
  readonly detail: D;
  readonly openedAt: Date;
}

/** The port of announced changes outside the database. */
export interface Intents {
  /**
   * Commits an intent separately, before the outside change starts. It counts as in progress while this process lives.
   * If this rejects, no intent exists: one that was committed although the reply was lost is removed.
   */
  open<D>(intent: { readonly kind: string; readonly subject: string; readonly detail: D }): Promise<Intent<D>>;
  /** Removes an intent, inside the caller's unit of work, together with the rows and events that record the outcome. */
  close(id: string): Promise<void>;
  /** Intents of one kind whose process has ended, oldest first, for the reconciler at startup and every minute. */
  abandoned(kind: string): Promise<readonly Intent[]>;
  /**
   * Confirms that the intent is still open, and extends it by the time that the database waits for an unresponsive
   * process. Call it last before the outside change, and not inside a unit of work.
   * @throws {Unavailable} if another process considered this one dead, or concluded the intent: the change must not be
   * made.
   */
  renew(id: string): Promise<void>;
  /**
   * Locks the intent until the caller's unit of work ends, for a unit of work that decides about it without closing it.
   * `stillOpen` waits for it, and no other process treats the intent as abandoned.
   * @throws {Unavailable} as `renew`.
   */
  hold(id: string): Promise<void>;
  /**
   * Returns which of these intents are open, for when the reply to a commit was lost. Waits for units of work that have
   * closed or held one, so that none of them commits afterwards. Not for use inside a unit of work.
   */
  stillOpen(ids: readonly string[]): Promise<ReadonlySet<string>>;
}

/** The port by which events are emitted. */
export interface Events {
  /**
   * Records an event in the current unit of work, which must be active. The event is delivered if and only if the unit
   * of work commits.
   * @returns the id of the event, by which handlers are idempotent.
   */
  emit<T extends EventType>(event: Omit<EventOf<T>, 'id' | 'at'>): Promise<string>;
}

/** The port of locks between processes. */
export interface Locks {
  /**
   * Runs `work` while no other process or call holds `name`, for example per repository or per migration. Not for use
   * inside a unit of work. Waiting callers of one process are served by fair queuing.
   * @param signal ends the wait only: if it aborts before the lock is acquired, this rejects with its reason, `work`
   * never runs, and other waiting callers are not affected.
   * @throws {Unavailable} if too many callers wait for it.
   */
  exclusive<T>(name: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T>;
}

declare module '../ports.ts' {
  interface Ports {
    UnitOfWork: UnitOfWork;
    Events: Events;
    Intents: Intents;
    Locks: Locks;
  }
}

declarePort('UnitOfWork', { arity: 'single', component: 'database', critical: true, absent: 'refuse' });
declarePort('Events', { arity: 'single', component: 'event outbox', critical: true, absent: 'refuse' });
declarePort('Intents', { arity: 'single', component: 'intent log', critical: true, absent: 'refuse' });
declarePort('Locks', { arity: 'single', component: 'locks', critical: true, absent: 'refuse' });
