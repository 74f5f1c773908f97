// Durable subscriptions and dead letters: registers subscriptions, bounds their events, and lets an operator retry or
// discard.
import { type Kysely, sql } from 'kysely';
import { typesOf } from '#core/kernel/storage/events';
import {
  keptWhileOff,
  pastEvents,
  type Deliveries,
  type OwnedSubscription,
  type ParkedEvent,
  type SubscriptionState,
} from '#core/kernel/storage/storage';
import type { SystemTables } from '../statements/schema.ts';
import { holdRouting, queuePast, type Newcomer } from './past.ts';

export interface SubscriptionsOptions {
  readonly database: () => Kysely<SystemTables>;
  /** Called when an event may be due. */
  readonly wake: () => void;
  /** How much is kept for a subscription without a running handler. */
  readonly kept?: { readonly events: number; readonly days: number };
}

export class Subscriptions implements Deliveries {
  readonly #database: () => Kysely<SystemTables>;
  readonly #wake: () => void;
  readonly #kept: { readonly events: number; readonly days: number };

  constructor({ database, wake, kept = keptWhileOff }: SubscriptionsOptions) {
    this.#database = database;
    this.#wake = wake;
    this.#kept = kept;
  }

  /**
   * Registers the given subscriptions, and removes all others of these plugins together with their waiting events. If
   * the types of a subscription have changed, the waiting events of types that it no longer has are removed. New types
   * of a subscription that asks for past events get those that are stored.
   */
  async remember(subscriptions: readonly OwnedSubscription[], plugins: readonly string[]): Promise<void> {
    if ((await newcomers(this.#database(), subscriptions)).length === 0)
      return remember(this.#database(), subscriptions, plugins);
    await this.#database()
      .transaction()
      .execute(async (transaction) => {
        await holdRouting(transaction);
        // Read again, because another process may have registered them meanwhile.
        const added = await newcomers(transaction, subscriptions);
        await remember(transaction, subscriptions, plugins);
        await queuePast(transaction, added, { ...pastEvents, events: Math.min(pastEvents.events, this.#kept.events) });
      });
  }

  /** Discards events beyond the bound for subscriptions that are not in `served`, and counts them as missed. */
  async bound(served: readonly OwnedSubscription[]): Promise<void> {
    const { names, owners } = columns(served);
    const { rows } = await sql<{ plugin: string; name: string }>`
      select s.plugin, s.name from hexforge_subscription s
      where not exists (
        select from unnest(${owners}::text[], ${names}::text[]) as g (plugin, name) where g.plugin = s.plugin and g.name = s.name
      )`.execute(this.#database());
    for (const { plugin, name } of rows) {
      await sql`
        with old as (
          delete from hexforge_delivery d
          where d.plugin = ${plugin} and d.subscription = ${name} and d.dead_at is null and (
            d.position <= (
              select n.position from hexforge_delivery n
              where n.plugin = ${plugin} and n.subscription = ${name} and n.dead_at is null
              order by n.position desc offset ${this.#kept.events} limit 1
            ) or exists (
              select from hexforge_event e
              where e.position = d.position and e.at < clock_timestamp() - ${this.#kept.days} * interval '1 day'
            )
          ) returning 1
        )
        update hexforge_subscription set missed = missed + (select count(*) from old)
        where plugin = ${plugin} and name = ${name} and exists (select from old)`.execute(this.#database());
    }
  }

  async subscriptions(): Promise<readonly SubscriptionState[]> {
    const { rows } = await sql<SubscriptionState>`
      select coalesce(s.plugin, d.plugin) as plugin, coalesce(s.name, d.subscription) as subscription,
        coalesce(replace(s.type, ${separator}, ', '), '') as type, coalesce(d.waiting, 0) as waiting, coalesce(d.parked, 0) as parked,
        coalesce(s.missed, 0) as missed
      from hexforge_subscription s full join (
        select plugin, subscription, count(*) filter (where dead_at is null) as waiting, count(*) filter (where dead_at is not null) as parked
        from hexforge_delivery group by plugin, subscription
      ) d on d.plugin = s.plugin and d.subscription = s.name
      order by 1, 2`.execute(this.#database());
    return rows;
  }

  async parkedCounts(): Promise<ReadonlyMap<string, number>> {
    const { rows } = await sql<{ plugin: string; parked: number }>`
      select plugin, count(*) as parked from hexforge_delivery where dead_at is not null group by plugin`.execute(
      this.#database(),
    );
    return new Map(rows.map(({ plugin, parked }) => [plugin, parked]));
  }

  async parked(limit: number): Promise<readonly ParkedEvent[]> {
    const { rows } = await sql<ParkedEvent>`
      select d.plugin, d.subscription, e.id as event, e.type, e.aggregate, d.attempts, d.dead_at as "parkedAt", coalesce(d.last_error, '') as error
      from hexforge_delivery d join hexforge_event e on e.position = d.position
      where d.dead_at is not null order by d.dead_at, d.position limit ${limit}`.execute(this.#database());
    return rows;
  }

  async replay(plugin: string, event?: string): Promise<number> {
    const { rows } = await sql`
      update hexforge_delivery d set dead_at = null, retry_at = null, attempts = 0
      where ${this.#deadLettersOf(plugin, event)}
        and exists (select from hexforge_subscription s where s.plugin = d.plugin and s.name = d.subscription)
      returning 1`.execute(this.#database());
    this.#wake();
    return rows.length;
  }

  async drop(plugin: string, event?: string): Promise<number> {
    const { rows } = await sql`
      delete from hexforge_delivery d where ${this.#deadLettersOf(plugin, event)} returning 1`.execute(
      this.#database(),
    );
    if (event === undefined)
      await this.#database()
        .updateTable('hexforge_subscription')
        .set({ missed: 0 })
        .where('plugin', '=', plugin)
        .execute();
    return rows.length;
  }

  #deadLettersOf(plugin: string, event: string | undefined) {
    const all = sql`d.plugin = ${plugin} and d.dead_at is not null`;
    return event === undefined
      ? all
      : sql`${all} and d.position = (select e.position from hexforge_event e where e.id::text = ${event.toLowerCase()})`;
  }
}

async function remember(
  database: Kysely<SystemTables>,
  subscriptions: readonly OwnedSubscription[],
  plugins: readonly string[],
): Promise<void> {
  const { names, owners } = columns(subscriptions);
  const types = subscriptions.map(({ subscription }) => typesOf(subscription).join(separator));
  const twice = subscriptions.find(
    (one, index) => index !== owners.findIndex((owner, at) => owner === one.plugin && names[at] === names[index]),
  );
  if (twice !== undefined)
    throw new Error(`plugin "${twice.plugin}" subscribes twice under the name "${twice.subscription.name}"`);
  await sql`
    with given as (
      select * from unnest(${owners}::text[], ${names}::text[], ${types}::text[]) as g (plugin, name, type)
    ), changed as (
      select g.plugin, g.name, string_to_array(g.type, ${separator}) as types
      from given g join hexforge_subscription s on s.plugin = g.plugin and s.name = g.name and s.type <> g.type
    ), cleared as (
      delete from hexforge_delivery d where d.plugin = any(${plugins}::text[]) and d.dead_at is null
        and not exists (select from given g where g.plugin = d.plugin and g.name = d.subscription)
    ), dropped as (
      delete from hexforge_delivery d using changed c, hexforge_event e
      where d.plugin = c.plugin and d.subscription = c.name and d.dead_at is null
        and e.position = d.position and e.type <> all(c.types)
    ), gone as (
      delete from hexforge_subscription s where s.plugin = any(${plugins}::text[])
        and not exists (select from given g where g.plugin = s.plugin and g.name = s.name)
    )
    insert into hexforge_subscription (plugin, name, type) select plugin, name, type from given
    on conflict (plugin, name) do update set type = excluded.type`.execute(database);
}

/** The types of subscriptions with `past` that are not registered. */
async function newcomers(
  database: Kysely<SystemTables>,
  subscriptions: readonly OwnedSubscription[],
): Promise<readonly Newcomer[]> {
  const asking = subscriptions.filter(({ subscription }) => subscription.past === true);
  if (asking.length === 0) return [];
  const known = await database.selectFrom('hexforge_subscription').select(['plugin', 'name', 'type']).execute();
  return asking.flatMap(({ plugin, subscription }) => {
    const { name } = subscription;
    const before = known.find((one) => one.plugin === plugin && one.name === name)?.type.split(separator);
    const types = typesOf(subscription).filter((type) => before?.includes(type) !== true);
    return types.length === 0 ? [] : [{ plugin, name, types }];
  });
}

/** Joins the types of one subscription in the column `type`. A type has only visible characters. */
export const separator = '\n';

/** Parallel arrays, as parameters of `unnest`. */
export const columns = (
  subscriptions: readonly OwnedSubscription[],
): { readonly owners: readonly string[]; readonly names: readonly string[] } => ({
  owners: subscriptions.map(({ plugin }) => plugin),
  names: subscriptions.map(({ subscription }) => subscription.name),
});
