// Routes new events: writes one delivery for each subscription to their type. Owners share each batch, so that the
// many events of one owner do not delay those of others.
import { type Kysely, sql } from 'kysely';
import type { SystemTables } from '../statements/schema.ts';
import { separator } from './subscriptions.ts';

/** The most events that are routed by one statement. */
const batch = 500;
/** The most owners that share one batch. */
export const mostSharing = 64;

/**
 * Routes new events, at most `batch`. If there are more, owners share the batch.
 * @param after only owners after this one are served, and the owner of the oldest event.
 * @returns `more` is true if further events may be new, `after` is the value for the next call.
 */
export async function routeEvents(
  database: Kysely<SystemTables>,
  after: string,
): Promise<{ readonly more: boolean; readonly after: string }> {
  const oldest = await database
    .selectFrom('hexforge_event')
    .select('position')
    .where('routed', '=', false)
    .orderBy('position')
    .limit(batch)
    .execute();
  if (oldest.length === 0) return { more: false, after: '' };
  const all = oldest.length < batch;
  const next = all ? { positions: oldest.map(({ position }) => position), after: '' } : await shares(database, after);
  const routed = await route(database, next.positions);
  // The oldest event is in every batch. If it is not routed, another process routes it.
  return { more: !all && routed > 0, after: next.after };
}

/**
 * The oldest events of each owner: of the owner of the oldest event, and of the next owners after `after`. An event
 * waits for earlier events of its aggregate that other owners have caused.
 */
async function shares(
  database: Kysely<SystemTables>,
  after: string,
): Promise<{ readonly positions: readonly number[]; readonly after: string }> {
  const { rows } = await sql<{ position: number; last: string | null }>`
    with recursive seek (owner, step) as (
      select ${after}::text collate "C", 0
      union all
      select n.owner, seek.step + 1 from seek cross join lateral (
        select owner from hexforge_event e where not e.routed and e.owner > seek.owner
        order by e.owner, e.position limit 1
      ) n where seek.step < ${sql.lit(mostSharing)}
    ), owners as (
      select owner from seek where step > 0
      union (select owner from hexforge_event where not routed order by position limit 1)
    ), each as (
      select ${sql.lit(batch)} / count(*) as most from owners
    ), candidate as (
      select w.owner, e.position, e.aggregate from owners w cross join lateral (
        select position, aggregate from hexforge_event where not routed and owner = w.owner
        order by position limit (select most from each)
      ) e
    ), blocked as (
      select c.owner, c.aggregate, e.position from (
        select owner, aggregate, max(position) as last from candidate group by owner, aggregate
      ) c cross join lateral (
        select position from hexforge_event
        where not routed and aggregate = c.aggregate and owner <> c.owner and position < c.last
        order by position limit 1
      ) e
    )
    select c.position, (select owner from seek where step = ${sql.lit(mostSharing)}) as last from candidate c
    where not exists (
      select from blocked b where b.owner = c.owner and b.aggregate = c.aggregate and b.position < c.position
    )`.execute(database);
  return { positions: rows.map(({ position }) => position), after: rows[0]?.last ?? '' };
}

/** @returns the number of events. */
async function route(database: Kysely<SystemTables>, positions: readonly number[]): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    with routed as (
      update hexforge_event set routed = true where position in (
        select position from hexforge_event where position = any(${positions}::bigint[]) and not routed
        order by position for update skip locked
      )
      returning position, type, aggregate, owner
    ), delivery as (
      insert into hexforge_delivery (plugin, subscription, position, chain, owner)
      select s.plugin, s.name, r.position, s.plugin || ' ' || s.name || ' ' || r.aggregate, r.owner
      from routed r join hexforge_subscription s on r.type = any(string_to_array(s.type, ${separator}))
    )
    select count(*) as count from routed`.execute(database);
  return rows[0]?.count ?? 0;
}
