// The transactional outbox: events are recorded in the unit of work and written with its commit.
import { type Kysely, sql } from 'kysely';
import type { EventOf, EventType } from '#core/kernel/events';
import type { Clock, Ids } from '#core/kernel/time';
import type { Events } from '#core/kernel/unit-of-work';
import type { SystemTables } from './schema.ts';

/** Where processes tell each other that events were committed; the payload is `type id`. */
export const channel = 'hexforge_event';

/** Keeps locks on aggregates apart from those taken by name (`locks.ts`). */
const aggregateSeed = 1;

/** Of six parameters each: a statement has 65,535 at the most, and a push may move more refs than that allows. */
const rowsAtOnce = 5000;

/** @param record adds an event to the unit of work that is open, or throws where none is. */
export function outbox({
  clock,
  ids,
  record,
}: {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly record: (event: EventOf) => void;
}): Events {
  return {
    async emit<T extends EventType>(event: Omit<EventOf<T>, 'id' | 'at'>): Promise<string> {
      const id = ids.uuid();
      // A copy: what the caller does with the payload afterwards is not what happened.
      record({ ...event, payload: structuredClone(event.payload), id, at: clock.now() });
      return id;
    },
  };
}

/**
 * Writes events into a transaction that does nothing after it but commit. Transactions on one aggregate queue here, so
 * that positions within it rise in the order of commits; nobody waits for a row while holding these locks, so they
 * cannot deadlock.
 */
export async function writeEvents(
  transaction: Kysely<SystemTables>,
  events: readonly EventOf[],
  engine: 'embedded' | 'postgresql',
): Promise<void> {
  if (engine === 'postgresql') await lockAggregates(transaction, events);
  for (let written = 0; written < events.length; written += rowsAtOnce) {
    await transaction
      .insertInto('hexforge_event')
      .values(
        events.slice(written, written + rowsAtOnce).map((event) => ({
          id: event.id,
          type: event.type,
          aggregate: event.aggregate,
          actor_id: event.actorId ?? null,
          payload: JSON.stringify(event.payload),
          at: event.at,
        })),
      )
      .execute();
  }
  if (engine === 'postgresql') {
    const payloads = events.map(({ type, id }) => `${type} ${id}`);
    await sql`select pg_notify(${channel}, payload) from unnest(${payloads}::text[]) as payload`.execute(transaction);
  }
}

async function lockAggregates(transaction: Kysely<SystemTables>, events: readonly EventOf[]): Promise<void> {
  const aggregates = [...new Set(events.map(({ aggregate }) => aggregate))].sort();
  await sql`select pg_advisory_xact_lock(key) from (select distinct hashtextextended(name, ${aggregateSeed}) as key from unnest(${aggregates}::text[]) as name order by key) as keys`.execute(
    transaction,
  );
}

/** Whether the transaction that wrote these has committed: it holds their aggregates until it has ended. */
export async function eventsArrived(transaction: Kysely<SystemTables>, events: readonly EventOf[]): Promise<boolean> {
  await lockAggregates(transaction, events);
  const found = await transaction
    .selectFrom('hexforge_event')
    .select('id')
    .where(
      'id',
      'in',
      events.slice(0, 1).map(({ id }) => id),
    )
    .execute();
  return found.length > 0;
}

/** An event as its row tells it. */
export interface EventRow {
  readonly id: string;
  readonly type: string;
  readonly aggregate: string;
  readonly actor_id: string | null;
  readonly payload: string;
  readonly at: Date;
}

export function eventOf(row: EventRow): EventOf {
  const event = {
    id: row.id,
    type: row.type,
    aggregate: row.aggregate,
    payload: JSON.parse(row.payload) as unknown,
    at: row.at,
  };
  return (row.actor_id === null ? event : { ...event, actorId: row.actor_id }) as EventOf;
}
