// The unit of work: the database transaction of a command, carried by AsyncLocalStorage, and the database as stores see
// it.
import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Kysely } from 'kysely';
import { InsufficientStorage, Unavailable } from '#core/kernel/errors';
import type { EventOf } from '#core/kernel/events';
import type { UnitOfWork } from '#core/kernel/unit-of-work';
import type { SqlDatabase } from './database.ts';
import { gaveUp, translated } from './errors.ts';
import type { Orm } from './orm.ts';
import type { SystemTables } from './schema.ts';

/** One open transaction. */
interface Scope {
  readonly em: EntityManager;
  /** Recorded so far, written just before the commit. */
  readonly events: EventOf[];
  state: 'open' | 'committed' | 'rolled back';
}

export interface OutboxWriter {
  /** Writes the events into the transaction that is about to commit. */
  write(transaction: Kysely<SystemTables>, events: readonly EventOf[]): Promise<void>;
  /** Told after the commit. */
  committed(events: readonly EventOf[]): void;
  /** Whether a transaction that ended, or is about to, has committed these. */
  arrived(transaction: Kysely<SystemTables>, events: readonly EventOf[]): Promise<boolean>;
}

export interface TransactionsOptions {
  readonly orm: Orm;
  readonly outbox: OutboxWriter;
  /** How long one may stay open, in milliseconds: on the embedded database it keeps everyone else waiting. */
  readonly deadline: number;
}

/** How often the database is asked what became of a commit, and milliseconds between: it may be starting anew. */
const readBack = { attempts: 20, pause: 500 } as const;

/** How often work is done in all that the database gives up for another's, and milliseconds between at the most. */
const givenUp = { attempts: 5, pause: 100 } as const;

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

  /** Adds an event to the transaction that is open. @throws {Error} where none is. */
  record(event: EventOf): void {
    const scope = this.#open();
    if (scope === undefined) throw new Error(`the event "${event.type}" was emitted outside of a unit of work`);
    scope.events.push(event);
  }

  /** Runs `work` as if no unit of work surrounded the caller: for loops and timers that outlive it. */
  outside<T>(work: () => T): T {
    return this.#scopes.exit(work);
  }

  /** Starts none any more and resolves when those that are open have ended. Reads go on until the engine closes. */
  async close(): Promise<void> {
    this.#closing = true;
    await Promise.all(this.#running);
  }

  /** Refuses reads too: MikroORM would connect again. */
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
   * @throws {Error} where the unit of work of this context was rolled back: what still runs in it must not write
   * piecemeal.
   */
  #open(): Scope | undefined {
    const scope = this.#scopes.getStore();
    if (scope?.state === 'rolled back') throw new Error('the unit of work of this context was rolled back');
    return scope?.state === 'open' ? scope : undefined;
  }

  /** Those that waited for each other in a circle would meet again if they all came back at once. */
  async #persistently<T>(work: () => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt += 1)
      try {
        return await this.#run(work);
      } catch (error) {
        if (attempt === givenUp.attempts || !gaveUp(error)) throw error;
        await pause(Math.random() * givenUp.pause);
      }
  }

  async #run<T>(work: () => Promise<T>): Promise<T> {
    const scope: Scope = { em: this.#fork(), events: [], state: 'open' };
    /** What the work came to, once it is the commit's turn. */
    let done: { readonly result: T } | undefined;
    await scope.em.begin();
    try {
      const result = await this.#within(this.#deadline, () =>
        this.#scopes.run(scope, async () => {
          const value = await work();
          await scope.em.flush();
          return value;
        }),
      );
      if (scope.events.length > 0)
        await this.#outbox.write(scope.em.getTransactionContext() as unknown as Kysely<SystemTables>, scope.events);
      done = { result };
      await scope.em.commit();
    } catch (thrown) {
      const error = translated(thrown);
      scope.state = 'rolled back';
      // What failed is told, not that a connection it broke takes no more.
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
   * The reply to a commit may be lost alone, and a database that ends over it may have it in its log: then its events
   * tell. Undefined where nothing does.
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

  async #within<T>(milliseconds: number, work: () => Promise<T>): Promise<T> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(
        () =>
          reject(
            new Unavailable('The database transaction took too long and was rolled back', {
              detail: `The bound is ${milliseconds / 1000} s`,
            }),
          ),
        milliseconds,
      );
    });
    try {
      return await Promise.race([work(), late]);
    } finally {
      clearTimeout(timer);
    }
  }
}
