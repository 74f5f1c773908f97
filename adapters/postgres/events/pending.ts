// Reads the events that a durable subscription has not handled yet: those that are not routed, and its deliveries.
import { type Kysely, sql } from 'kysely';
import type { EventAmong, EventType } from '#core/kernel/storage/events';
import { type HandlerOf, mostSearched, type PendingEvents, type RefFilter } from '#core/kernel/storage/pending-events';
import type { SystemTables } from '../statements/schema.ts';
import { chainOf } from './delivery.ts';
import { eventOf, type EventRow } from './outbox.ts';

/** A text of the payload, which is JSON, up to its first quotation mark. */
const inPayload = (text: string): string => JSON.stringify(text).slice(1, -1).split('"', 1).join('');

export const pendingEvents = (database: () => Kysely<SystemTables>): PendingEvents => ({
  async of<T extends EventType>(
    { plugin, subscription, types }: HandlerOf<T>,
    aggregates: readonly string[],
    limit: number,
    wanted?: RefFilter,
  ): Promise<readonly EventAmong<T>[]> {
    if (aggregates.length === 0) return [];
    const chains = aggregates.map((aggregate) => chainOf(plugin, subscription, aggregate));
    const refs = (wanted?.refs ?? []).map(inPayload);
    const under = wanted === undefined ? '' : wanted.under;
    // The JSON of a payload contains `"ref":"` only as a member, because quotation marks in texts are escaped.
    const { rows } = await sql<EventRow>`
      select id, type, aggregate, actor_id, payload, at from (
        select e.*, r.ref = '' or r.ref = any(${refs}::text[]) as first from (
          select e.position from unnest(${aggregates}::text[]) as a (aggregate) cross join lateral (
            select position from hexforge_event
            where not routed and aggregate = a.aggregate and type = any(${types}::text[])
            order by position desc limit ${sql.lit(mostSearched)}
          ) e
          union all
          select d.position from unnest(${chains}::text[]) as c (chain) cross join lateral (
            select position from hexforge_delivery where chain = c.chain and dead_at is null
            order by position desc limit ${sql.lit(mostSearched)}
          ) d
        ) p join hexforge_event e on e.position = p.position
        cross join lateral (select split_part(split_part(e.payload, '"ref":"', 2), '"', 1) as ref) r
        where r.ref = '' or r.ref = any(${refs}::text[]) or starts_with(r.ref, ${under ?? null}::text)
        order by first desc, e.position desc limit ${sql.lit(limit)}
      ) newest order by position`.execute(database());
    return rows.map((row) => eventOf(row) as EventAmong<T>);
  },
});
