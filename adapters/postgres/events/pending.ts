// Reads the events that a durable subscription has not handled yet: those that are not routed, and its deliveries.
import { type Kysely, sql } from 'kysely';
import type { EventAmong, EventType } from '#core/kernel/storage/events';
import type { HandlerOf, PendingEvents } from '#core/kernel/storage/pending-events';
import type { SystemTables } from '../statements/schema.ts';
import { chainOf } from './delivery.ts';
import { eventOf, type EventRow } from './outbox.ts';

export const pendingEvents = (database: () => Kysely<SystemTables>): PendingEvents => ({
  async of<T extends EventType>(
    { plugin, subscription, types }: HandlerOf<T>,
    aggregates: readonly string[],
    limit: number,
  ): Promise<readonly EventAmong<T>[]> {
    if (aggregates.length === 0) return [];
    const chains = aggregates.map((aggregate) => chainOf(plugin, subscription, aggregate));
    const { rows } = await sql<EventRow>`
      select e.id, e.type, e.aggregate, e.actor_id, e.payload, e.at from (
        select position from hexforge_event where not routed and type = any(${types}::text[]) and aggregate = any(${aggregates}::text[])
        union all
        select position from hexforge_delivery
        where plugin = ${plugin} and subscription = ${subscription} and chain = any(${chains}::text[]) and dead_at is null
      ) p join hexforge_event e on e.position = p.position
      order by e.position limit ${sql.lit(limit)}`.execute(database());
    return rows.map((row) => eventOf(row) as EventAmong<T>);
  },
});
