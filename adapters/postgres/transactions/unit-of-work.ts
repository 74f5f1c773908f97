// The unit of work: the database transaction of a command, carried by AsyncLocalStorage, and the database interface of
// stores.
import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Kysely } from 'kysely';
import { InsufficientStorage, Unavailable } from '#core/kernel/errors';
import type { EventOf } from '#core/kernel/storage/events';
import type { UnitOfWork } from '#core/kernel/storage/unit-of-work';
import type { SqlDatabase } from '../statements/database.ts';
import { gaveUp, translated } from '../statements/errors.ts';
import { limited } from '../statements/limited.ts';
import type { Orm } from '../connection/orm.ts';
import type { SystemTables } from '../statements/schema.ts';

/** One open transaction. */
interface Scope {
  readonly em: EntityManager;
  /** Events recorded so far; written just before the commit. */
  readonly events: EventOf[];
  state: 'open' | 'committed' | 'rolled back';
}

export interface OutboxWriter {
  /** Writes the events into the transaction that is about to commit. */
  write(transaction: Kysely<SystemTables>, events: readonly EventOf[]): Promise<void>;
  /** Called after the commit. */
  committed(events: readonly EventOf[]): void;
  /** Whether the transaction that wrote these events has committed. Waits for its end. */
  arrived(transaction: Kysely<SystemTables>, events: readonly EventOf[]): Promise<boolean>;
}

export interface TransactionsOptions {
  readonly orm: Orm;
  readonly outbox: OutboxWriter;
  /** The time limit of a unit of work, in milliseconds: on the embedded database it blocks all others. */
  readonly deadline: number;
}

/** How often the database is asked whether a commit succeeded, and the pause in milliseconds: it may be restarting. */
const readBack = { attempts: 20, pause: 500 } as const;

/**
 * How often work is run if the database rolls it back for a concurrent transaction, and the longest pause in
 * milliseconds.
 */
const rolledBackRetry = { attempts: 5, pause: 100 } as const;

const undecided = (cause: unknown): Unavailable =>
  new Unavailable('The database went away while this was saved: it may have been saved, or not', {
    detail: 'Look at what is there before you try again',
    cause,
  });

export class Transactions implements UnitOfWork, SqlDatabase {
  readonly #orm: Orm;
  readonly #outbox: OutboxWriter;
  readonly #deadline: number;
  readonly #scopes = new AsyncLocalStorage<Scope>();
  readonly #running = new Set<Promise<unknown>>();
  #closing = false;
  #shut = false;

  constructor({ orm, outbox, deadline }: TransactionsOptions) {
    this.#orm = orm;
    this.#outbox = outbox;
    this.#deadline = deadline;
  }

  get active(): boolean {
    return this.#scopes.getStore()?.state === 'open';
  }

  run<T>(work: () => Promise<T>): Promise<T> {
    if (this.active)
      return Promise.reject(new Error('a unit of work is already open in this context: units of work do not nest'));
    if (this.#closing) return Promise.reject(new Unavailable('The database is closing'));
    const running = this.#persistently(work);
    const settled = running
      .then(
        () => undefined,
        () => undefined,
      )
      .finally(() => this.#running.delete(settled));
    this.#running.add(settled);
    return running;
  }

  em(): EntityManager {
    return this.#open()?.em ?? this.#fork();
  }

  kysely<DB>(): Kysely<DB> {
    const em = this.#open()?.em;
    this.#assertOpen();
    return (em === undefined
      ? this.#orm.em.getConnection().getClient()
      : em.getTransactionContext()) as unknown as Kysely<DB>;
  }

  /** Adds an event to the open transaction. @throws {Error} outside of a unit of work. */
  record(event: EventOf): void {
    const scope = this.#open();
    if (scope === undefined) throw new Error(`the event "${event.type}" was emitted outside of a unit of work`);
    scope.events.push(event);
  }

  /** Runs `work` as if the caller had no unit of work: for loops and timers that outlive it. */
  outside<T>(work: () => T): T {
    return this.#scopes.exit(work);
  }

  /** Rejects new units of work and resolves when the open ones have ended. Reads work until the engine closes. */
  async close(): Promise<void> {
    this.#closing = true;
    await Promise.all(this.#running);
  }

  /** Rejects reads too: otherwise MikroORM would connect again. */
  shut(): void {
    this.#shut = true;
  }

  #assertOpen(): void {
    if (this.#shut) throw new Unavailable('The database is closed');
  }

  #fork(): EntityManager {
    this.#assertOpen();
    return this.#orm.em.fork({ useContext: false });
  }

  /**
   * @throws {Error} if the unit of work of this context was rolled back: code that still runs in it must not write
   * outside of the transaction.
   */
  #open(): Scope | undefined {
    const scope = this.#scopes.getStore();
    if (scope?.state === 'rolled back') throw new Error('the unit of work of this context was rolled back');
    return scope?.state === 'open' ? scope : undefined;
  }

  /** Retries work that the database rolled back. The random pause keeps deadlocked transactions from meeting again. */
  async #persistently<T>(work: () => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt += 1)
      try {
        return await this.#run(work);
      } catch (error) {
        if (attempt === rolledBackRetry.attempts || !gaveUp(error)) throw error;
        await pause(Math.random() * rolledBackRetry.pause);
      }
  }

  async #run<T>(work: () => Promise<T>): Promise<T> {
    const scope: Scope = { em: this.#fork(), events: [], state: 'open' };
    /** The result of the work, set before the commit begins. */
    let done: { readonly result: T } | undefined;
    await scope.em.begin();
    try {
      const working = this.#scopes.run(scope, async () => {
        const value = await work();
        await scope.em.flush();
        return { result: value };
      });
      const worked = await limited(this.#deadline, working, () => {
        const detail = `The bound is ${this.#deadline / 1000} s`;
        throw new Unavailable('The database transaction took too long and was rolled back', { detail });
      });
      if (scope.events.length > 0)
        await this.#outbox.write(scope.em.getTransactionContext() as unknown as Kysely<SystemTables>, scope.events);
      done = worked;
      await scope.em.commit();
    } catch (thrown) {
      const error = translated(thrown);
      scope.state = 'rolled back';
      // The first error is reported, not the failed rollback on a connection that it broke.
      await scope.em.rollback().catch(() => undefined);
      const lost = (error instanceof Unavailable && !gaveUp(error)) || error instanceof InsufficientStorage;
      if (done === undefined || !lost) throw error;
      const arrived = await this.#arrived(scope.events);
      if (arrived !== true) throw arrived === false ? error : undecided(error);
    }
    scope.state = 'committed';
    this.#outbox.committed(scope.events);
    return done.result;
  }

  /**
   * Whether a commit without a reply has succeeded, decided by its events: only the reply may be lost, or the database
   * may have ended with the commit in its log. Undefined if there are no events, or the database does not answer.
   */
  async #arrived(events: readonly EventOf[]): Promise<boolean | undefined> {
    if (events.length === 0) return undefined;
    for (let attempt = 1; attempt <= readBack.attempts; attempt += 1) {
      const em = this.#fork();
      try {
        await em.begin();
        return await this.#outbox.arrived(em.getTransactionContext() as unknown as Kysely<SystemTables>, events);
      } catch {
        await pause(readBack.pause);
      } finally {
        await em.rollback().catch(() => undefined);
      }
    }
    return undefined;
  }
}
