// The transactional outbox: events are recorded in the unit of work and written with its commit.
import { type Kysely, sql } from 'kysely';
import type { EventOf, EventType } from '#core/kernel/storage/events';
import type { Clock, Ids } from '#core/kernel/time';
import type { Events } from '#core/kernel/storage/unit-of-work';
import type { SystemTables } from '../statements/schema.ts';
import type { EventOwners } from './event-owners.ts';

/** The notification channel on which processes announce committed events; the payload is `type id`. */
export const channel = 'hexforge_event';

/** Separates locks on aggregates from named locks (`locks.ts`). */
const aggregateSeed = 1;

/**
 * Each row has seven parameters. A statement may have 32,767 on the embedded database, and a push may move more refs
 * than fit.
 */
const rowsAtOnce = 4000;

/** @param record adds an event to the open unit of work; throws outside of one. */
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
      // A copy, so that later changes of the payload by the caller have no effect.
      record({ ...event, payload: structuredClone(event.payload), id, at: clock.now() });
      return id;
    },
  };
}

/**
 * Writes events into a transaction whose next statement is the commit. On a server, transactions with the same
 * aggregate queue here, so that positions within it rise in commit order. No transaction waits for a row while it has
 * these locks, so they cannot deadlock.
 */
export async function writeEvents(
  transaction: Kysely<SystemTables>,
  events: readonly EventOf[],
  { engine, owners }: { readonly engine: 'embedded' | 'postgresql'; readonly owners: Pick<EventOwners, 'of'> },
): Promise<void> {
  if (engine === 'postgresql') await lockAggregates(transaction, events);
  for (let written = 0; written < events.length; written += rowsAtOnce) {
    await transaction
      .insertInto('hexforge_event')
      .values(
        events.slice(written, written + rowsAtOnce).map(({ id, type, aggregate, actorId = null, payload, at }) => ({
          id,
          type,
          aggregate,
          actor_id: actorId,
          payload: JSON.stringify(payload),
          at,
          owner: owners.of(actorId ?? undefined),
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

/**
 * Whether the transaction that wrote these events has committed. Waits for its end, because it has locked their
 * aggregates.
 */
export async function eventsArrived(transaction: Kysely<SystemTables>, events: readonly EventOf[]): Promise<boolean> {
  await lockAggregates(transaction, events);
  const first = events.slice(0, 1).map(({ id }) => id);
  const found = await transaction.selectFrom('hexforge_event').select('id').where('id', 'in', first).execute();
  return found.length > 0;
}

/** A row of the event table. */
export interface EventRow {
  readonly id: string;
  readonly type: string;
  readonly aggregate: string;
  readonly actor_id: string | null;
  readonly payload: string;
  readonly at: Date;
}

export function eventOf({ id, type, aggregate, actor_id: actorId, payload, at }: EventRow): EventOf {
  const event = { id, type, aggregate, payload: JSON.parse(payload) as unknown, at };
  return (actorId === null ? event : { ...event, actorId }) as EventOf;
}
