// Finds the events that are due: the first ones of the chains of each owner, then the events of the chosen chains.
import { type Kysely, sql } from 'kysely';
import type { SystemTables } from '../statements/schema.ts';
import type { ChainHead } from './fair-choice.ts';
import type { EventRow } from './outbox.ts';

export interface DueRow extends EventRow {
  readonly plugin: string;
  readonly subscription: string;
  readonly position: number;
  readonly chain: string;
  readonly attempts: number;
  readonly owner: string;
}

/** The most owners of one handler per search. */
export const mostOwners = 16;
/** The most chains of one owner that are looked at for one handler per search. */
export const mostChains = 64;
/** The most events of one chain per turn. */
const mostEvents = 50;

/** The start of the search for one handler. */
export interface SearchFrom {
  readonly plugin: string;
  readonly subscription: string;
  /** Only owners after this one are searched. */
  readonly after: string;
  /** Owners whose chains are searched from after this chain on, and then from the start. */
  readonly chains: readonly { readonly owner: string; readonly chain: string }[];
}

/** A chain that is due, or the last owner or chain of a search. */
export interface Found extends Pick<ChainHead, 'plugin' | 'owner'> {
  readonly subscription: string;
  /** The number of the owner in the search. */
  readonly step: number;
  /** Null if no chain of the owner is due. */
  readonly chain: string | null;
  readonly position: number;
  /** The number of the chain in the search of its owner. */
  readonly look: number;
  readonly due: boolean;
}

export interface DueOptions {
  readonly from: readonly SearchFrom[];
  /** The chains that run already. */
  readonly running: readonly string[];
  /** The most chains of one owner for each handler. */
  readonly each: number;
}

/**
 * Handler and owner as one text, which has an index with the chain. Without statistics the planner expects few rows for
 * three equal columns, and would sort all rows of a handler for each seek.
 */
const place = (handler: 'd' | 's', owner: 'd' | 'seek' | 'w' = 'd') =>
  sql.raw(`((${handler}.plugin || ' ' || ${handler}.subscription || ' ' || ${owner}.owner) collate "C")`);

/**
 * The first events of due chains, by handler and owner. Seeks along one index from owner to owner, and from chain to
 * chain, so that it reads a bounded number of rows, however many events wait. Always returns the last owner of a full
 * search, and the last chain of an owner with `mostChains` chains.
 */
export async function findDue(
  database: Kysely<SystemTables>,
  { from, running, each }: DueOptions,
): Promise<readonly Found[]> {
  const starts = from.flatMap(({ plugin, subscription, chains }) =>
    chains.map(({ owner, chain }) => ({ plugin, subscription, owner, chain })),
  );
  const { rows } = await sql<Found>`
    select s.plugin, s.subscription, w.owner, w.step, h.chain, h.position, h.look, h.due
    from unnest(
      ${from.map(({ plugin }) => plugin)}::text[], ${from.map(({ subscription }) => subscription)}::text[],
      ${from.map(({ after }) => after)}::text[]
    ) as s (plugin, subscription, after) cross join lateral (
      with recursive seek (owner, step) as (
        select s.after collate "C", 0
        union all
        select n.owner, seek.step + 1 from seek cross join lateral (
          select d.plugin, d.subscription, d.owner from hexforge_delivery d
          where d.dead_at is null and ${place('d')} > ${place('s', 'seek')} order by ${place('d')} limit 1
        ) n where seek.step < ${sql.lit(mostOwners)} and n.plugin = s.plugin and n.subscription = s.subscription
      )
      select owner, step from seek where step > 0
    ) w left join unnest(
      ${starts.map(({ plugin }) => plugin)}::text[], ${starts.map(({ subscription }) => subscription)}::text[],
      ${starts.map(({ owner }) => owner)}::text[], ${starts.map(({ chain }) => chain)}::text[]
    ) as c (plugin, subscription, owner, chain)
      on c.plugin = s.plugin and c.subscription = s.subscription and c.owner = w.owner
    left join lateral (
      with recursive seek (chain, position, retry_at, look, again) as (
        select coalesce(c.chain, ''), 0::bigint, null::timestamptz, 0, false
        union all
        select n.chain, n.position, n.retry_at, seek.look + 1, n.again from seek cross join lateral (
          (
            select d.chain, d.position, d.retry_at, seek.again from hexforge_delivery d
            where d.dead_at is null and ${place('d')} = ${place('s', 'w')} and d.chain > seek.chain
            order by d.chain, d.position limit 1
          ) union all (
            select d.chain, d.position, d.retry_at, true from hexforge_delivery d
            where not seek.again and c.chain is not null and d.dead_at is null and ${place('d')} = ${place('s', 'w')}
            order by d.chain, d.position limit 1
          ) limit 1
        ) n where seek.look < ${sql.lit(mostChains)} and (not n.again or n.chain <= c.chain)
      )
      select chain, position, look, due from (
        select chain, position, look, chain <> all(${running}::text[])
          and (retry_at is null or retry_at <= clock_timestamp())
          and not exists (
            select from hexforge_delivery e where e.chain = seek.chain and e.dead_at is null and e.position < seek.position
          ) as due
        from seek where look > 0
      ) looked where due or look = ${sql.lit(mostChains)} limit ${each}
    ) h on true
    where h.chain is not null or w.step = ${sql.lit(mostOwners)}`.execute(database);
  return rows;
}

/** The next events of each chain, in order. */
export async function dueRows(
  database: Kysely<SystemTables>,
  chains: readonly string[],
): Promise<ReadonlyMap<string, readonly DueRow[]>> {
  const { rows } = await sql<DueRow>`
    select d.plugin, d.subscription, d.position, d.chain, d.attempts, d.owner, e.id, e.type, e.aggregate, e.actor_id, e.payload, e.at
    from unnest(${chains}::text[]) as c (chain) cross join lateral (
      select * from hexforge_delivery d where d.chain = c.chain and d.dead_at is null
      order by d.position limit ${sql.lit(mostEvents)}
    ) d join hexforge_event e on e.position = d.position
    order by d.position`.execute(database);
  return Map.groupBy(rows, ({ chain }) => chain);
}
