// Delivers broadcast events (publish and subscribe to every process) when a notification arrives, at most once.
import type { Kysely } from 'kysely';
import type { EventOf } from '#core/kernel/storage/events';
import { Listeners } from '#core/kernel/storage/listeners';
import type { Log } from '#core/kernel/services/log';
import type { OwnedSubscription } from '#core/kernel/storage/storage';
import { eventOf } from './outbox.ts';
import type { SystemTables } from '../statements/schema.ts';

const catchUpLimit = 1000;

export class Broadcast {
  readonly #database: () => Kysely<SystemTables>;
  readonly #log: Log;
  #listeners: Listeners;
  /** Position of the newest delivered event, from which `catchUp` continues after missed notifications. */
  #position = 0;
  #queue: Promise<void> = Promise.resolve();

  constructor(database: () => Kysely<SystemTables>, log: Log) {
    this.#database = database;
    this.#log = log;
    this.#listeners = new Listeners([], log);
  }

  async start(subscriptions: readonly OwnedSubscription[]): Promise<void> {
    const newest = await this.#database()
      .selectFrom('hexforge_event')
      .select((e) => e.fn.max('position').as('position'))
      .executeTakeFirst();
    this.#position = newest?.position ?? 0;
    this.#listeners = new Listeners(subscriptions, this.#log);
  }

  /** Delivers events that were committed in this process. */
  announce(events: readonly EventOf[]): void {
    this.#enqueue(async () => {
      for (const event of events) this.#listeners.hand(event);
    });
  }

  /** Delivers an event that a notification named. */
  hear(type: string, id: string): void {
    if (!this.#listeners.types.includes(type)) return;
    this.#enqueue(async () => {
      const row = await this.#database()
        .selectFrom('hexforge_event')
        .selectAll()
        .where('id', '=', id)
        .executeTakeFirst();
      if (row === undefined) return;
      this.#position = Math.max(this.#position, row.position);
      this.#listeners.hand(eventOf(row));
    });
  }

  /** Delivers events that were committed while notifications were missed. */
  catchUp(): void {
    const { types } = this.#listeners;
    if (types.length === 0) return;
    this.#enqueue(async () => {
      const rows = await this.#database()
        .selectFrom('hexforge_event')
        .selectAll()
        .where('position', '>', this.#position)
        .where('type', 'in', types)
        .orderBy('position')
        .limit(catchUpLimit)
        .execute();
      for (const row of rows) {
        this.#position = row.position;
        this.#listeners.hand(eventOf(row));
      }
    });
  }

  end(): void {
    this.#listeners.end();
  }

  /** Resolves when all events received so far are delivered. */
  async idle(): Promise<void> {
    await this.#queue;
    await this.#listeners.idle();
  }

  #enqueue(work: () => Promise<void>): void {
    this.#queue = this.#queue.then(work).catch((error: unknown) => {
      this.#log.warn({ error: String(error) }, 'broadcast events were lost');
    });
  }
}
