// Past events for new subscriptions that ask for them. They are queued in the transaction that registers the
// subscription, so a crash leaves both or neither, and are then delivered like any other event.
import { type Kysely, sql } from 'kysely';
import type { SystemTables } from '../statements/schema.ts';

/** A subscription, and its types whose past events it has not received. */
export interface Newcomer {
  readonly plugin: string;
  readonly name: string;
  readonly types: readonly string[];
}

/**
 * Routing writes deliveries. It waits until this transaction ends, and a routing that has begun ends first, so each
 * event is either routed already, or routed later to the new subscription. Events are written meanwhile, and a backup
 * does not delay it.
 */
export const holdRouting = (transaction: Kysely<SystemTables>): Promise<unknown> =>
  sql`lock table hexforge_delivery in share row exclusive mode`.execute(transaction);

/** Queues the newest routed events for each of these subscriptions. Older ones may be deleted meanwhile. */
export async function queuePast(
  transaction: Kysely<SystemTables>,
  newcomers: readonly Newcomer[],
  { events: most, days }: { readonly events: number; readonly days: number },
): Promise<void> {
  for (const { plugin, name, types } of newcomers)
    await sql`
      insert into hexforge_delivery (plugin, subscription, position, chain, owner)
      select ${plugin}::text, ${name}::text, position, ${`${plugin} ${name} `}::text || aggregate, owner
      from hexforge_event where routed and type = any(${types}::text[])
        and at >= clock_timestamp() - ${sql.lit(days)} * interval '1 day'
      order by position desc limit ${sql.lit(most)}
      on conflict do nothing`.execute(transaction);
}
