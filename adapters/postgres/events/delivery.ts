// Durable event delivery from the outbox: by the leader process only, at least once, in order per handler and
// aggregate. Owners of events share the slots fairly.
import { type Kysely, sql } from 'kysely';
import type { Log } from '#core/kernel/services/log';
import { keptError, parkedMessage, type OwnedSubscription } from '#core/kernel/storage/storage';
import { limited } from '../statements/limited.ts';
import { dueRows, findDue, type DueOptions, type DueRow, type Found } from './due.ts';
import type { EventOwners } from './event-owners.ts';
import { FairChoice } from './fair-choice.ts';
import { HeadSearch } from './head-search.ts';
import { eventOf } from './outbox.ts';
import { routeEvents } from './route.ts';
import type { SystemTables } from '../statements/schema.ts';
import { columns, type Subscriptions } from './subscriptions.ts';

export interface DeliveryTuning {
  /** Slots for handlers that run at the same time. */
  readonly width: number;
  /** Slots of one plugin, so that handlers of one plugin that hang leave slots for others. */
  readonly share: number;
  /** An attempt that takes longer releases its slot of `width` and continues; milliseconds. */
  readonly slow: number;
  /** After this many failed attempts an event becomes a dead letter of this handler. */
  readonly attempts: number;
  /** The first pause after a failure, doubled by each further one up to `longestPause`; milliseconds. */
  readonly pause: number;
  readonly longestPause: number;
  /** Interval of looking for due events without being woken; milliseconds. */
  readonly poll: number;
  /** How long delivered events are kept; days. */
  readonly keepDays: number;
  /** How long a stop waits for running handlers; milliseconds. */
  readonly closing: number;
}

export const defaultTuning: DeliveryTuning = {
  width: 16,
  share: 8,
  slow: 5000,
  attempts: 10,
  pause: 100,
  longestPause: 60_000,
  poll: 5000,
  keepDays: 7,
  closing: 3000,
};

export interface DeliveryOptions {
  readonly database: () => Kysely<SystemTables>;
  /**
   * Returns whether this process is the leader, which alone delivers. Called repeatedly; takes the lead if no process
   * has it.
   */
  readonly leads: () => Promise<boolean>;
  readonly subscriptions: Pick<Subscriptions, 'bound'>;
  readonly log: Log;
  readonly tuning: DeliveryTuning;
  readonly owners: Pick<EventOwners, 'handling'>;
  /** Time limit of a search for due events, in milliseconds. Absent: that of the database. */
  readonly searchLimit?: number;
}

interface Running {
  readonly plugin: string;
  readonly owner: string;
  work: Promise<void>;
  /** Whether the attempt takes long and has released its slot. */
  slow: boolean;
}

const pruneEvery = 3_600_000;

export class Delivery {
  readonly #options: DeliveryOptions;
  /** `plugin subscription` → the handler. */
  readonly #handlers = new Map<string, OwnedSubscription>();
  /** The chains that are running in this process. A chain is the events of one aggregate for one handler. */
  readonly #running = new Map<string, Running>();
  readonly #choice: FairChoice;
  readonly #search: HeadSearch;
  /** The owner whose new events were routed last. */
  #routed = '';
  #loop: Promise<void> | undefined;
  #closed = false;
  #woken = false;
  #wake: () => void = () => undefined;
  #prunedAt = 0;
  #faults = 0;

  constructor(options: DeliveryOptions) {
    this.#options = options;
    this.#choice = new FairChoice(options.tuning);
    this.#search = new HeadSearch({
      find: (search) => this.#find(search),
      skipped: ({ plugin, subscription }) =>
        options.log.warn(
          { plugin, subscription },
          'the search for the events of a handler took too long; trying again',
        ),
    });
  }

  start(subscriptions: readonly OwnedSubscription[]): void {
    if (this.#loop !== undefined) throw new Error('events are being delivered already');
    for (const owned of subscriptions) this.#handlers.set(handlerKey(owned.plugin, owned.subscription.name), owned);
    this.#loop = this.#work();
  }

  /** Wakes the delivery loop, because an event may be due. */
  wake(): void {
    this.#woken = true;
    this.#wake();
  }

  /**
   * Resolves when no event waits for its first attempt, including events that handlers emitted meanwhile. Events behind
   * a failed one are not waited for.
   */
  async drained(): Promise<void> {
    while (this.#loop !== undefined && !this.#closed && (this.#running.size > 0 || (await this.#busy()))) {
      this.wake();
      await Promise.race([...this.#working(), pause(20)]);
    }
  }

  /**
   * Starts no more handlers and waits up to `closing` ms for running ones. Unfinished events will be delivered again.
   */
  async close(): Promise<void> {
    this.#closed = true;
    this.wake();
    await this.#loop;
    await limited(this.#options.tuning.closing, Promise.all(this.#working()));
  }

  #working(): readonly Promise<void>[] {
    return [...this.#running.values()].map(({ work }) => work);
  }

  async #work(): Promise<void> {
    const { log, tuning } = this.#options;
    while (!this.#closed) {
      this.#woken = false;
      try {
        if (await this.#options.leads()) await this.#round();
        this.#faults = 0;
      } catch (error) {
        this.#faults += 1;
        if (this.#faults === 1) log.warn({ error: messageOf(error) }, 'events cannot be delivered now; trying again');
      }
      if (this.#faults > 0) await pause(Math.min(tuning.poll, 100 * 2 ** Math.min(this.#faults, 10)));
      else if (!this.#woken && !this.#closed) await this.#rest(tuning.poll);
    }
  }

  #rest(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, milliseconds).unref();
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  async #round(): Promise<void> {
    let more: boolean;
    do {
      ({ more, after: this.#routed } = await routeEvents(this.#options.database(), this.#routed));
      this.#search.restart();
      while (await this.#begin()) {
        /* Until the slots are full, or all owners were searched. */
      }
    } while (more && !this.#closed);
    await this.#prune();
  }

  async #find(search: DueOptions): Promise<readonly Found[]> {
    const { database, searchLimit } = this.#options;
    if (searchLimit === undefined) return findDue(database(), search);
    return database()
      .transaction()
      .execute(async (transaction) => {
        await sql`set local statement_timeout = ${sql.lit(searchLimit)}`.execute(transaction);
        return findDue(transaction, search);
      });
  }

  /**
   * Begins the chains that are due and for which there are slots.
   * @returns whether there may be more of both.
   */
  async #begin(): Promise<boolean> {
    const ready = [...this.#handlers.values()].filter(
      ({ plugin }) => !this.#choice.full(plugin, this.#running.values()),
    );
    const free = this.#choice.free(this.#running.values());
    if (ready.length === 0 || this.#closed || free <= 0) return false;
    const { heads, more } = await this.#search.next(ready, {
      running: [...this.#running.keys()],
      each: Math.min(free, this.#choice.ownerShare),
    });
    const chosen = this.#choice.next(heads, this.#running.values());
    if (chosen.length === 0) return more;
    const rows = await dueRows(
      this.#options.database(),
      chosen.map(({ chain }) => chain),
    );
    for (const { chain, plugin, owner } of chosen) {
      const [first, ...rest] = rows.get(chain) ?? [];
      if (first === undefined) continue;
      const running: Running = { plugin, owner, slow: false, work: Promise.resolve() };
      this.#running.set(chain, running);
      running.work = this.#run([first, ...rest], running).finally(() => {
        this.#running.delete(chain);
        this.wake();
      });
    }
    return more;
  }

  async #busy(): Promise<boolean> {
    const { names, owners } = columns([...this.#handlers.values()]);
    const { rows } = await sql<{ busy: boolean }>`
      select exists (select from hexforge_event where not routed) or exists (
        select from unnest(${owners}::text[], ${names}::text[]) as s (plugin, name) join hexforge_delivery d
          on d.plugin = s.plugin and d.subscription = s.name and d.dead_at is null and d.attempts = 0
        where not exists (select from hexforge_delivery w where w.chain = d.chain and w.dead_at is null and w.retry_at is not null)
      ) as busy`.execute(this.#options.database());
    return rows[0]?.busy === true;
  }

  /** Delivers the events of one chain to its handler, in order, until one fails. */
  async #run(rows: readonly DueRow[], running: Running): Promise<void> {
    const done: DueRow[] = [];
    try {
      for (const row of rows) {
        if (this.#closed) break;
        const failure = await this.#attempt(row, running);
        if (failure === undefined) done.push(row);
        else if (!(await this.#fail(row, failure.message))) break;
      }
      if (done.length > 0) await this.#complete(done);
    } catch (error) {
      // The rows are unchanged, so the handler will receive these events again.
      this.#options.log.warn(
        { error: messageOf(error) },
        'what was delivered could not be recorded; it will be delivered again',
      );
      await pause(this.#options.tuning.pause);
    }
  }

  async #attempt(row: DueRow, running: Running): Promise<{ readonly message: string } | undefined> {
    const handler = this.#handlers.get(handlerKey(row.plugin, row.subscription));
    if (handler === undefined) return { message: 'the handler is gone' };
    const timer = setTimeout(() => {
      running.slow = true;
      this.wake();
    }, this.#options.tuning.slow).unref();
    try {
      await this.#options.owners.handling(row.owner, () => handler.subscription.handle(eventOf(row)));
      return undefined;
    } catch (error) {
      return { message: messageOf(error) };
    } finally {
      clearTimeout(timer);
      running.slow = false;
    }
  }

  async #complete(rows: readonly DueRow[]): Promise<void> {
    const [{ plugin, subscription } = { plugin: '', subscription: '' }] = rows;
    const positions = rows.map(({ position }) => position);
    await this.#options
      .database()
      .deleteFrom('hexforge_delivery')
      .where('plugin', '=', plugin)
      .where('subscription', '=', subscription)
      .where('position', 'in', positions)
      .execute();
  }

  /** @returns whether the chain continues without this event. */
  async #fail(row: DueRow, message: string): Promise<boolean> {
    const { database, log, tuning } = this.#options;
    const { plugin, subscription, id: event, type, position } = row;
    const attempts = row.attempts + 1;
    const dead = attempts >= tuning.attempts;
    const wait = Math.min(tuning.longestPause, tuning.pause * 2 ** row.attempts);
    await database()
      .updateTable('hexforge_delivery')
      .set({
        attempts,
        last_error: keptError(message),
        retry_at: dead ? null : sql<Date>`clock_timestamp() + ${wait} * interval '1 millisecond'`,
        dead_at: dead ? sql<Date>`clock_timestamp()` : null,
      })
      .where('plugin', '=', plugin)
      .where('subscription', '=', subscription)
      .where('position', '=', position)
      .execute();
    const members = { plugin, subscription, event, type, attempts, error: message };
    if (dead) log.error(members, parkedMessage);
    else {
      log.warn(members, 'the handler of an event failed; it will be called again');
      setTimeout(() => this.wake(), wait + 5).unref();
    }
    return dead;
  }

  async #prune(): Promise<void> {
    if (Date.now() - this.#prunedAt < pruneEvery) return;
    this.#prunedAt = Date.now();
    await this.#options.subscriptions.bound([...this.#handlers.values()]);
    // In a transaction, which has a longer time limit than a single statement.
    await this.#options
      .database()
      .transaction()
      .execute((transaction) =>
        sql`
          delete from hexforge_event e where e.routed and e.at < clock_timestamp() - ${this.#options.tuning.keepDays} * interval '1 day'
            and not exists (select from hexforge_delivery d where d.position = e.position)`.execute(transaction),
      );
  }
}

/** The events of one aggregate for one handler, as `#route` names them. */
export const chainOf = (plugin: string, subscription: string, aggregate: string): string =>
  `${plugin} ${subscription} ${aggregate}`;
const handlerKey = (plugin: string, subscription: string): string => `${plugin} ${subscription}`;
const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
  });
