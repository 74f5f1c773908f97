// Finds the events that are due: the first ones of the chains of each owner, then the events of the chosen chains.
import { type Kysely, sql } from 'kysely';
import type { OwnedSubscription } from '#core/kernel/storage/storage';
import type { SystemTables } from '../statements/schema.ts';
import type { ChainHead } from './fair-choice.ts';
import type { EventRow } from './outbox.ts';
import { columns } from './subscriptions.ts';

export interface DueRow extends EventRow {
  readonly plugin: string;
  readonly subscription: string;
  readonly position: number;
  readonly chain: string;
  readonly attempts: number;
}

/** The most owners of one handler per query. */
const mostOwners = 200;
/** The most events of one chain per turn. */
const mostEvents = 50;

/** The last owner of a search has a row even if none of its chains is due. */
interface FoundRow extends Pick<ChainHead, 'plugin' | 'owner'> {
  readonly step: number;
  readonly chain: string | null;
  readonly position: number | null;
}

export interface DueOptions {
  readonly database: Kysely<SystemTables>;
  readonly handlers: readonly OwnedSubscription[];
  /** The chains that run already. */
  readonly running: readonly string[];
  /** The most chains of one owner for each handler. */
  readonly each: number;
  /** Only owners after this one are searched. */
  readonly after: string;
}

/**
 * The heads of due chains: for each handler and owner the oldest ones. Seeks from owner to owner along the index, so
 * that the many events of one owner are not read.
 * @returns `after` is the value for the next call; empty if all owners were searched.
 */
export async function dueHeads({
  database,
  handlers,
  running,
  each,
  after,
}: DueOptions): Promise<{ readonly heads: readonly ChainHead[]; readonly after: string }> {
  const { names, owners } = columns(handlers);
  const { rows } = await sql<FoundRow>`
    select s.plugin, w.owner, w.step, h.chain, h.position
    from unnest(${owners}::text[], ${names}::text[]) as s (plugin, name) cross join lateral (
      with recursive seek (owner, step) as (
        (
          select d.owner, 1 from hexforge_delivery d
          where d.plugin = s.plugin and d.subscription = s.name and d.dead_at is null and d.owner > ${after}
          order by d.owner limit 1
        ) union all (
          select (
            select d.owner from hexforge_delivery d
            where d.plugin = s.plugin and d.subscription = s.name and d.dead_at is null and d.owner > seek.owner
            order by d.owner limit 1
          ), step + 1 from seek where seek.owner is not null and step < ${sql.lit(mostOwners)}
        )
      )
      select owner, step from seek where owner is not null
    ) w left join lateral (
      select d.chain, d.position from hexforge_delivery d
      where d.plugin = s.plugin and d.subscription = s.name and d.owner = w.owner and d.dead_at is null
        and d.chain <> all(${running}::text[])
        and not exists (
          select from hexforge_delivery w where w.chain = d.chain and w.dead_at is null
            and (w.position < d.position or w.retry_at > clock_timestamp())
        )
      order by d.position limit ${each}
    ) h on true
    where h.chain is not null or w.step = ${sql.lit(mostOwners)}`.execute(database);
  const last = rows.filter(({ step }) => step === mostOwners).map(({ owner }) => owner);
  return {
    heads: rows.filter((row): row is FoundRow & ChainHead => row.chain !== null),
    after: last.toSorted()[0] ?? '',
  };
}

/** The next events of each chain, in order. */
export async function dueRows(
  database: Kysely<SystemTables>,
  chains: readonly string[],
): Promise<ReadonlyMap<string, readonly DueRow[]>> {
  const { rows } = await sql<DueRow>`
    select d.plugin, d.subscription, d.position, d.chain, d.attempts, e.id, e.type, e.aggregate, e.actor_id, e.payload, e.at
    from unnest(${chains}::text[]) as c (chain) cross join lateral (
      select * from hexforge_delivery d where d.chain = c.chain and d.dead_at is null
      order by d.position limit ${sql.lit(mostEvents)}
    ) d join hexforge_event e on e.position = d.position
    order by d.position`.execute(database);
  return Map.groupBy(rows, ({ chain }) => chain);
}
