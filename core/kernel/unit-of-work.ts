// The unit of work (the transaction every command runs in), events, locks, and intents: the bracket around changes that
// a transaction cannot hold.
import type { EventOf, EventType } from './events.ts';
import { declarePort } from './ports.ts';

/** The port of the transaction that a command runs in. */
export interface UnitOfWork {
  /**
   * Runs `work` in one transaction that every store of every plugin joins; committed and on disk when the promise
   * resolves, rolled back whole when it rejects. It travels with the asynchronous context. Where the database gives it
   * up for another one (a deadlock), `work` runs again from its beginning: what it changes outside the stores must not
   * add up.
   * @throws {Error} when one is already open in this context: units of work do not nest.
   */
  run<T>(work: () => Promise<T>): Promise<T>;
  /** Whether one is open in this context. No network and no git call may happen while it is. */
  readonly active: boolean;
}

/** A change outside the database (refs, repository directories, blobs) that was announced and not yet concluded. */
export interface Intent<D = unknown> {
  readonly id: string;
  /** Who reconciles it, such as `repositories.push`. */
  readonly kind: string;
  /** What it is about, such as a repository id: intents of one subject are reconciled in order. */
  readonly subject: string;
  readonly detail: D;
  readonly openedAt: Date;
}

/** The port of announced changes outside the database. */
export interface Intents {
  /**
   * Commits an intent by itself, before the change outside begins. It counts as in progress while this process lives.
   * Where this rejects there is none: one that was written though its reply was lost is removed.
   */
  open<D>(intent: { readonly kind: string; readonly subject: string; readonly detail: D }): Promise<Intent<D>>;
  /** Removes it, inside the caller's unit of work, together with the rows and events that record the outcome. */
  close(id: string): Promise<void>;
  /** Intents of one kind whose process is gone, oldest first, for the reconciler at boot and every minute. */
  abandoned(kind: string): Promise<readonly Intent[]>;
  /**
   * Asked last before the change outside: that it stands, and for as long again as the database is patient with a
   * process that it does not hear. Not for use inside a unit of work.
   * @throws {Unavailable} where another process took this one for gone, or concluded it: the change must not be made.
   */
  renew(id: string): Promise<void>;
  /**
   * Keeps it for the caller's unit of work, which does not close it but decides what becomes of it: `stillOpen` waits,
   * and no other process takes it for abandoned.
   * @throws {Unavailable} as `renew`.
   */
  hold(id: string): Promise<void>;
  /**
   * Which of these are open, where the reply to a commit may have been lost: waits for units of work that have
   * closed or hold one, so that none of them commits afterwards. Not for use inside a unit of work.
   */
  stillOpen(ids: readonly string[]): Promise<ReadonlySet<string>>;
}

/** The port by which events are emitted. */
export interface Events {
  /**
   * Records an event in the current unit of work (one must be active): delivered if and only if it commits.
   * @returns the event's id, by which handlers are idempotent.
   */
  emit<T extends EventType>(event: Omit<EventOf<T>, 'id' | 'at'>): Promise<string>;
}

/** The port of locks between processes. */
export interface Locks {
  /**
   * Runs `work` while no other process or call holds `name` (per repository, per migration). Not for use inside a unit
   * of work. Callers who wait in one process have their turns fairly.
   * @param signal ends the waiting, and nothing else: where it is aborted before it is the caller's turn, this rejects
   * with its reason, `work` never runs, and those behind go on waiting as before.
   * @throws {Unavailable} where too many wait for it.
   */
  exclusive<T>(name: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T>;
}

declare module './ports.ts' {
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
